#include "tools/record/foreign_trace.hpp"

#include "model/keys/counter_generator.hpp"

#include <iomanip>
#include <sstream>

namespace keyswap::conformance {

namespace {

std::string percent(double share) {
    std::ostringstream text;
    constexpr double small = 0.1; // below this a digit more says something
    text << std::fixed << std::setprecision(share < small ? 2 : 0) << share * 100 << " %";
    return text.str();
}

} // namespace

std::string rate_text(ForeignReport const& report) {
    return std::to_string(report.failure_count) + " of " + std::to_string(report.run_count) +
           (report.run_count == 1 ? " run" : " runs") + " failed; the failure rate is, with 95 % " +
           "confidence, between " + percent(report.rate_95.lower) + " and " +
           percent(report.rate_95.upper);
}

RunHeader header_of(ForeignRuns const& runs, ForeignReport const& report) {
    RunHeader header;
    header.program = runs.library.empty() ? runs.command : runs.library.filename().string();
    header.algorithm = foreign_algorithm;
    header.key_count = runs.keys.key_count;
    header.gpus = {0};
    header.virtual_gpus = true;
    header.key_type = runs.keys.key_type;
    header.direction = runs.direction;
    header.value_type = runs.value_type;
    header.stability = runs.stability;
    header.zero_order = runs.zero_order;
    header.input.distribution = runs.keys.distribution;
    header.input.parameter = runs.keys.parameter;
    header.input.seed = report.first ? report.first->seed : runs.keys.seed;
    header.input.generator_version = model::generator_version;
    return header;
}

std::vector<VerdictRecord> recorded_verdicts(ForeignReport const& report) {
    std::vector<VerdictRecord> verdicts{
        {std::string(runs_property), report.failure_count == 0, rate_text(report)}};
    if (!report.first) {
        verdicts.push_back({"sorted", true, {}});
        verdicts.push_back({"permutation", true, {}});
        return verdicts;
    }
    ChildOutcome const& end = report.first->end;
    if (end.end != ChildEnd::returned) {
        std::string const detail = end.detail.empty() ? "" : ": " + end.detail;
        verdicts.push_back({"returned", false, std::string(to_string(end.end)) + detail});
    }
    verdicts.insert(verdicts.end(), report.first->verdicts.begin(), report.first->verdicts.end());
    return verdicts;
}

} // namespace keyswap::conformance
