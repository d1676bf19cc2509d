#include "tools/bench/split_bench.hpp"

#include "kernels/histogram.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/table.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <limits>
#include <ostream>

namespace keyswap::tools {

namespace {

using kernels::SplitBenchJob;
using kernels::SplitBenchRow;

bool names_gpus(BenchOptions const& options) {
    return !options.gpu_sets.empty() || options.gpu_count.has_value();
}

/// Devices of a shuffle; for other operations, the first device.
Expected<std::vector<int>> parse_devices(BenchOptions const& options, int found) {
    if (!names_gpus(options)) {
        return std::vector<int>{0};
    }
    KEYSWAP_TRY(auto const sets, bench_sets(options, found));
    if (sets.size() != 1) {
        return input_error(
            "--gpus", "names " + std::to_string(sets.size()) + " sets", "name one for a shuffle");
    }
    return sets.front();
}

/// Returns an error if an option is for sorts or for the other operation.
Expected<void> check_conflicts(BenchOptions const& options) {
    BenchOptions const defaults;
    bool const is_histogram = options.operation == "histogram";
    bool const of_buckets = !options.buckets.empty() || !options.methods.empty() ||
                            options.types != defaults.types || options.values != defaults.values;
    struct Conflict {
        bool given;
        char const* option;
        char const* remedy;
    };
    for (auto const& [given, option, remedy] : std::initializer_list<Conflict>{
             {options.csv.has_value(), "--csv", "leave it out: it is for sorts"},
             {!options.sorts.empty(), "--sorts", "leave it out: it is for sorts"},
             {is_histogram && names_gpus(options),
              "--gpus or --gpu-count",
              "leave it out: the first GPU is measured"},
             {!options.methods.empty() && names_gpus(options),
              "--methods and --gpus or --gpu-count",
              "leave one out: a shuffle takes the fastest method"},
             {options.distributions != defaults.distributions,
              "--distributions",
              "leave it out: keys are uniform"},
             {options.residences != defaults.residences,
              "--where",
              "leave it out: keys lie on the GPU"},
             {is_histogram && of_buckets,
              "--buckets, --methods, --types or --values",
              "give --bins; samples are f32"},
             {!is_histogram && !options.bins.empty(), "--bins", "give --buckets"}}) {
        if (given) {
            return input_error(std::string(option) + " and --operation " + options.operation,
                               "do not go together",
                               remedy);
        }
    }
    return {};
}

Expected<std::vector<kernels::MultisplitMethod>>
parse_methods(std::vector<std::string> const& names) {
    std::vector<kernels::MultisplitMethod> methods;
    if (names.empty() || names == std::vector<std::string>{"all"}) {
        for (kernels::MultisplitMethodInfo const& info : kernels::multisplit_methods()) {
            methods.push_back(info.method);
        }
        return methods;
    }
    for (std::string const& name : names) {
        KEYSWAP_TRY(auto const method, kernels::parse_multisplit_method(name));
        methods.push_back(method);
    }
    return methods;
}

Expected<std::vector<KeyType>> parse_split_types(BenchOptions const& options) {
    if (options.operation == "histogram") {
        return std::vector{KeyType::f32};
    }
    std::vector<KeyType> types;
    for (std::string const& text : options.types) {
        KEYSWAP_TRY(auto const type, parse_sorted_type(text));
        if (type != KeyType::u32 && type != KeyType::u64) {
            return input_error(
                "--types " + text, "is not measured as a multisplit", "give u32 or u64");
        }
        types.push_back(type);
    }
    return types;
}

Expected<std::vector<std::uint64_t>> parse_key_counts(BenchOptions const& options) {
    std::vector<std::uint64_t> counts;
    for (std::string const& text : options.key_counts) {
        KEYSWAP_TRY(auto const count, parse_count(text, "--keys"));
        if (count == 0 || count > std::numeric_limits<std::uint32_t>::max()) {
            return input_error("--keys " + text, "is not from 1 to 2^32 - 1", "give fewer");
        }
        counts.push_back(count);
    }
    return counts;
}

double keys_per_ns(SplitBenchJob const& job, SplitBenchRow const& row) {
    return static_cast<double>(job.key_count) / row.median() / 1e6;
}

Table split_table() {
    return Table({{"method", -16, 2},
                  {"type", -5},
                  {"val", -4},
                  {"rule", -10},
                  {"buckets", 8},
                  {"n", 12},
                  {"median ms", 11},
                  {"Gkeys/s", 9},
                  {"of peer", 8},
                  {"result", -1, 2}});
}

} // namespace

Expected<SplitBenchPlan> resolve_splits(BenchOptions const& options, int found) {
    KEYSWAP_RETURN_IF_ERROR(check_conflicts(options));
    KEYSWAP_TRY(auto const operation, parse_operation(options.operation, 2));
    KEYSWAP_TRY(auto const methods, parse_methods(options.methods));
    KEYSWAP_TRY(auto const types, parse_split_types(options));
    KEYSWAP_TRY(auto const counts, parse_key_counts(options));
    KEYSWAP_TRY(auto const devices, parse_devices(options, found));
    if (options.values == "64") {
        return input_error("--values 64", "is not measured as a multisplit", "give none or 32");
    }
    KEYSWAP_TRY(auto const values, parse_value_type(options.values));
    if (operation != Operation::multisplit && operation != Operation::histogram) {
        return input_error("--operation " + options.operation,
                           "is not measured",
                           "give sort, multisplit or histogram");
    }
    bool const is_histogram = operation == Operation::histogram;
    std::vector<std::uint32_t> buckets = is_histogram ? options.bins : options.buckets;
    if (buckets.empty()) {
        buckets = is_histogram ? std::vector<std::uint32_t>{2, 32, 256, 2048}
                               : std::vector<std::uint32_t>{2, 8, 32, 256};
    }
    std::uint32_t const most = is_histogram ? kernels::histogram_bins_max : 65'536;
    SplitBenchPlan plan{operation, {}};
    for (KeyType const type : types) {
        for (std::uint64_t const count : counts) {
            for (std::uint32_t const each : buckets) {
                if (each < 2 || each > most) {
                    return input_error((is_histogram ? "--bins " : "--buckets ") +
                                           std::to_string(each),
                                       "is not from 2 to " + grouped_count(most),
                                       "give one that is");
                }
                plan.jobs.push_back({type, values, count, each, methods, options.runs, devices});
            }
        }
    }
    return plan;
}

bool SplitBenchResult::holds() const {
    return std::ranges::all_of(rows, [](SplitBenchRow const& row) { return row.wrong == 0; });
}

void print_split_header(std::ostream& out) {
    out << split_table().header();
}

void print_split_rows(SplitBenchResult const& result, std::ostream& out) {
    SplitBenchJob const& job = result.job;
    for (SplitBenchRow const& row : result.rows) {
        std::string const judgement =
            (row.wrong == 0 ? "right" : "WRONG: " + grouped_count(row.wrong)) +
            (row.elsewhere == 0
                 ? ""
                 : ", " + grouped_count(row.elsewhere) + " differences from CUB at edges");
        out << split_table().row(row.name,
                                 to_string(job.key_type),
                                 job.value_type == ValueType::none ? "-"
                                                                   : to_string(job.value_type),
                                 row.rule,
                                 job.buckets,
                                 job.key_count,
                                 printed("%.3f", row.median()),
                                 printed("%.1f", keys_per_ns(job, row)),
                                 row.peer_ms ? printed("%.2f", *row.peer_ms / row.median()) : "-",
                                 judgement);
    }
    out << std::flush;
}

Json split_rows_json(std::vector<SplitBenchResult> const& results) {
    Json rows = Json::array();
    for (SplitBenchResult const& result : results) {
        for (SplitBenchRow const& row : result.rows) {
            Json entry{{"method", row.name},
                       {"type", to_string(result.job.key_type)},
                       {"values", to_string(result.job.value_type)},
                       {"rule", row.rule},
                       {"buckets", result.job.buckets},
                       {"keys", result.job.key_count},
                       {"gpu_count", result.job.devices.size()},
                       {"milliseconds", row.milliseconds},
                       {"keys_per_ns", keys_per_ns(result.job, row)},
                       {"wrong", row.wrong},
                       {"elsewhere", row.elsewhere}};
            if (row.peer_ms) {
                entry["of_cub"] = *row.peer_ms / row.median();
            }
            rows.push_back(std::move(entry));
        }
    }
    return rows;
}

} // namespace keyswap::tools
