/// \file Checks sorts by steps: the functions of the algorithm, in its order, and no decisions of
/// other kinds of sorts.

#include "model/partition/bucket_rule.hpp"
#include "model/verify/expected/expected_run.hpp"
#include "model/verify/record_text.hpp"
#include "model/verify/sorts/sort_checks.hpp"
#include "traces/errors/try.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::model::verify {

namespace {

/// The function that each recorded step uses.
std::map<int, BucketFunction const*> functions_by_step(RecordedRun const& run) {
    std::map<std::uint32_t, BucketFunction const*> by_id;
    for (BucketFunctionRecord const& record : run.functions) {
        by_id.emplace(record.id, &record.function);
    }
    std::map<int, BucketFunction const*> by_step;
    for (PartitionRecord const& record : run.partitions) {
        auto const found = by_id.find(record.function);
        if (found != by_id.end()) {
            by_step[record.step] = found->second;
        }
    }
    return by_step;
}

void verify_functions_of_steps(RecordedRun const& run,
                               std::vector<BucketFunctionRecord> const& expected,
                               Report& report) {
    auto const recorded = functions_by_step(run);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        int const step = static_cast<int>(i) + 1;
        auto const found = recorded.find(step);
        // A step without records is reported elsewhere.
        if (found != recorded.end() && *found->second != expected[i].function) {
            report.add(of_another_algorithm(Check::functions)
                           .expect(rule_name(expected[i].function.rule))
                           .found("another function, " + rule_name(found->second->rule))
                           .at(step_text(step, "")));
        }
    }
    int const last = recorded.empty() ? 0 : recorded.rbegin()->first;
    if (last > static_cast<int>(expected.size())) {
        report.add(of_another_algorithm(Check::partitions)
                       .expect(std::to_string(expected.size()) + " steps")
                       .found(std::to_string(last)));
    } else if (last < static_cast<int>(expected.size())) {
        Difference difference = of_another_algorithm(Check::partitions)
                                    .expect(std::to_string(expected.size()) + " steps")
                                    .found(std::to_string(last));
        difference.verdict = Verdict::incomplete_trace;
        report.add(difference.implies("The last steps are not recorded."));
    }
}

/// Types of records in the run that no sort by steps writes.
std::vector<Check> other_records(RecordedRun const& run) {
    std::vector<Check> checks;
    for (auto const& [any, check] : {std::pair{!run.placements.empty(), Check::placements},
                                     std::pair{!run.copies.empty(), Check::copies},
                                     std::pair{!run.sort_ranges.empty(), Check::sort_ranges},
                                     std::pair{!run.merges.empty(), Check::merges}}) {
        if (any) {
            checks.push_back(check);
        }
    }
    return checks;
}

/// Lists records beyond the steps of a sort that the model does not know as unchecked.
void list_other_records(RecordedRun const& run, Report& report) {
    std::vector<Check> checks = other_records(run);
    if (!run.ownership.empty()) {
        checks.push_back(Check::ownership);
    }
    for (Check const check : checks) {
        report.skip(check, "the model does not know the sort \"" + run.header.algorithm + "\"");
    }
}

} // namespace

Expected<void> verify_step_sort(RecordedRun const& run, Report& report) {
    KEYSWAP_TRY(auto const config, config_of(run));
    auto const expected = decisions_without_keys(config, run);
    if (!expected) {
        report.skip(Check::functions, expected.error().problem);
        list_other_records(run, report);
        return {};
    }
    verify_functions_of_steps(run, expected->functions, report);
    verify_ownership(run, expected->ownership, report);
    for (Check const check : other_records(run)) {
        report.add(of_another_algorithm(check).expect(
            "no such records, as " + run.header.algorithm + " partitions all keys in steps"));
    }
    return {};
}

} // namespace keyswap::model::verify
