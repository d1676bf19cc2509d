#include "tools/commands/validate/validate_operation.hpp"

#include "tools/options/simulation_options.hpp"
#include "tools/output/captured_output.hpp"
#include "tools/output/json_result.hpp"
#include "tools/output/measured_gpus.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace keyswap::tools {

namespace {

void print_operation_rows(std::vector<ValidatedCollective> const& rows) {
    std::cout << formatted("%15s  %12s %12s  %9s  %10s %10s  %s\n",
                           "bytes",
                           "predicted ms",
                           "measured ms",
                           "error",
                           "bus GB/s",
                           "measured",
                           "expected ms");
    for (ValidatedCollective const& row : rows) {
        std::cout << formatted("%15s  %12.4g %12.4g  %+8.1f%%  %10.1f %10.1f  %.4g to %.4g%s\n",
                               grouped_count(row.measured.size_bytes).c_str(),
                               row.predicted.total_ms,
                               row.measured_ms(),
                               100.0 * row.error(),
                               row.predicted.bus_GBps(),
                               row.measured.bus_GBps,
                               row.predicted.low_ms,
                               row.predicted.high_ms,
                               row.is_inside() ? "" : " (outside)");
    }
}

Json operation_rows_json(std::vector<ValidatedCollective> const& rows) {
    return json_array(rows, [](ValidatedCollective const& row) {
        return Json{{"bytes", row.measured.size_bytes},
                    {"measured_ms", row.measured_ms()},
                    {"predicted_ms", row.predicted.total_ms},
                    {"relative_error", row.error()},
                    {"measured_bus_GBps", row.measured.bus_GBps},
                    {"predicted_bus_GBps", row.predicted.bus_GBps()},
                    {"low_ms", row.predicted.low_ms},
                    {"high_ms", row.predicted.high_ms}};
    });
}

/// Operation named in the output, or else by --operation.
Expected<simulator::CollectiveKind> kind_of(ValidateOptions const& options,
                                            NcclTests const& tests) {
    if (options.operation) {
        KEYSWAP_TRY(auto const named,
                    simulator::parse_collective(*options.operation, "--operation"));
        if (tests.kind && *tests.kind != named) {
            return input_error("--operation",
                               "is " + *options.operation + ", and " + options.file + " is of " +
                                   to_string(*tests.kind),
                               "leave it out");
        }
        return named;
    }
    if (!tests.kind) {
        return input_error("--operation",
                           "is missing, and " + options.file + " names none",
                           "add one of " + joined_text(simulator::collective_names(), ", "));
    }
    return *tests.kind;
}

/// One GPU per rank: those of --gpus, or those that the output lists, or the first ones.
Expected<std::vector<std::uint32_t>>
gpus_of(ValidateOptions const& options, NcclTests const& tests, simulator::Machine const& machine) {
    if (options.gpus) {
        KEYSWAP_TRY(auto gpus, parse_gpus(*options.gpus, machine));
        if (tests.ranks > 0 && gpus.size() != tests.ranks) {
            return input_error("--gpus",
                               "names " + std::to_string(gpus.size()) + ", and " + options.file +
                                   " has " + counted(tests.ranks, "rank"),
                               "name a GPU for each rank");
        }
        return gpus;
    }
    KEYSWAP_TRY(auto gpus, parse_gpus("all", machine));
    if (tests.ranks > gpus.size()) {
        return input_error("--platform " + *options.platform,
                           "has " + counted(gpus.size(), "GPU") + ", and " + options.file +
                               " has " + counted(tests.ranks, "rank"),
                           "name the machine that was measured");
    }
    if (!tests.gpus.empty()) {
        std::uint32_t const last = std::ranges::max(tests.gpus);
        if (last >= gpus.size()) {
            return input_error(options.file,
                               "ran on device " + std::to_string(last) + ", but " +
                                   *options.platform + " has " + counted(gpus.size(), "GPU"),
                               "name the machine that was measured, or its GPUs with --gpus");
        }
        return tests.gpus;
    }
    if (tests.ranks > 0 && tests.ranks < gpus.size()) {
        gpus.resize(tests.ranks);
        remark_stream() << "Note: " << printable_text(options.file)
                        << " does not give each rank its own GPU of one host: GPUs 0 to "
                        << tests.ranks - 1 << " are assumed (--gpus names others).\n";
    }
    return gpus;
}

} // namespace

simulator::ErrorSummary summary_of(std::vector<ValidatedCollective> const& rows) {
    std::vector<double> errors;
    errors.reserve(rows.size());
    for (ValidatedCollective const& row : rows) {
        errors.push_back(std::abs(row.error()));
    }
    return simulator::summary_of_errors(std::move(errors), "total");
}

simulator::Coverage coverage_of(std::vector<ValidatedCollective> const& rows) {
    return {rows.size(),
            static_cast<std::size_t>(std::ranges::count_if(rows, &ValidatedCollective::is_inside))};
}

Expected<std::vector<ValidatedCollective>>
validate_operation(simulator::Machine const& machine,
                   NcclTests const& tests,
                   simulator::CollectiveKind kind,
                   std::vector<std::uint32_t> const& gpus) {
    std::vector<ValidatedCollective> rows;
    for (CollectiveRun const& run : tests.runs) {
        KEYSWAP_TRY(auto prediction,
                    simulator::predict_collective(machine, {kind, run.size_bytes, gpus, {}}));
        rows.push_back({run, std::move(prediction)});
    }
    return rows;
}

Expected<ExitCode> validate_nccl_tests(ValidateOptions const& options,
                                       std::string const& path,
                                       std::string const& text) {
    KEYSWAP_TRY(auto const tests, parse_nccl_tests(text, path));
    KEYSWAP_TRY(auto const kind, kind_of(options, tests));
    if (!options.platform) {
        return tl::unexpected(missing_platform_error());
    }
    KEYSWAP_TRY(auto const machine, simulator::load_machine(*options.platform, options.profile));
    KEYSWAP_TRY(auto const gpus, gpus_of(options, tests, machine));
    remark_other_gpus(tests.gpu_names, options.file, machine.platform);
    KEYSWAP_TRY(auto const rows, validate_operation(machine, tests, kind, gpus));
    std::vector const summaries{summary_of(rows)};
    auto const inside = coverage_of(rows);
    Judgement const verdict = judged(options.limits, summaries);
    if (options.json) {
        Json json = json_result("validate",
                                {{"file", options.file},
                                 {"platform", machine.platform.name},
                                 {"platform_hash", hash_text(platform_hash(machine.platform))},
                                 {"operation", to_string(kind)},
                                 {"gpus", gpus}});
        json.update(Json{{"configurations", operation_rows_json(rows)},
                         {"summary", summary_json(summaries)},
                         {"interval", coverage_json(inside)},
                         {"checked", rows.size()},
                         {"within_thresholds", within_json(verdict)}});
        print_json(json, std::cout);
        return exit_code_of(verdict);
    }
    std::cout << formatted("# %s: %s of %s (%s) on platform %s (%s)\n",
                           printable_text(options.file).c_str(),
                           to_string(kind).c_str(),
                           counted(gpus.size(), "GPU").c_str(),
                           joined_text(gpus, ",").c_str(),
                           printable_text(machine.platform.name).c_str(),
                           hash_text(platform_hash(machine.platform)).c_str());
    print_operation_rows(rows);
    std::cout << formatted("\nerror of %zu sizes: median %.2f%%, p95 %.2f%%, worst %.2f%%\n"
                           "inside the interval of nine in ten: %zu of %zu (%s)\n",
                           summaries.front().count,
                           100.0 * summaries.front().median,
                           100.0 * summaries.front().p95,
                           100.0 * summaries.front().worst,
                           inside.inside,
                           inside.count,
                           share_text(inside).c_str());
    return exit_code_of(verdict);
}

} // namespace keyswap::tools
