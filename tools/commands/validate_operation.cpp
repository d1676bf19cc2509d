#include "tools/commands/validate_operation.hpp"

#include "tools/text/number_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace keyswap::tools {

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

simulator::ErrorSummary summary_of(std::vector<ValidatedCollective> const& rows) {
    std::vector<double> errors;
    errors.reserve(rows.size());
    for (ValidatedCollective const& row : rows) {
        errors.push_back(std::abs(row.error()));
    }
    std::ranges::sort(errors);
    std::size_t const count = errors.size();
    if (count == 0) {
        return {"total"};
    }
    double const median = 0.5 * (errors[(count - 1) / 2] + errors[count / 2]);
    return {"total", count, median, errors[(95 * count + 99) / 100 - 1], errors.back()};
}

simulator::Coverage coverage_of(std::vector<ValidatedCollective> const& rows) {
    return {rows.size(),
            static_cast<std::size_t>(std::ranges::count_if(rows, &ValidatedCollective::is_inside))};
}

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
                               format_count(row.measured.size_bytes).c_str(),
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

nlohmann::ordered_json operation_rows_json(std::vector<ValidatedCollective> const& rows) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (ValidatedCollective const& row : rows) {
        all.push_back({{"bytes", row.measured.size_bytes},
                       {"measured_ms", row.measured_ms()},
                       {"predicted_ms", row.predicted.total_ms},
                       {"relative_error", row.error()},
                       {"measured_bus_GBps", row.measured.bus_GBps},
                       {"predicted_bus_GBps", row.predicted.bus_GBps()},
                       {"low_ms", row.predicted.low_ms},
                       {"high_ms", row.predicted.high_ms}});
    }
    return all;
}

} // namespace keyswap::tools
