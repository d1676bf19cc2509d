/// \file Checks the counts of one step on one GPU.

#include "model/verify/partition/partition_parts.hpp"
#include "model/verify/record_text.hpp"
#include "model/verify/run_checks.hpp"

#include <algorithm>

namespace keyswap::model::verify {

namespace {

void compare_counts(StepPart const& part,
                    std::string const& where,
                    std::vector<std::uint64_t> const& expected,
                    std::vector<std::uint64_t> const& recorded) {
    auto const [right, found] = std::ranges::mismatch(expected, recorded);
    if (right != expected.end()) {
        part.report.differ(Check::histograms, Verdict::wrong_execution)
            .at(where)
            .on(part.gpu)
            .in(step_bucket(static_cast<std::uint64_t>(right - expected.begin())))
            .expect(keys_text(*right))
            .found(std::to_string(*found))
            .implies(part.header.operation == Operation::histogram
                         ? "The histogram is wrong."
                         : "Later buckets start elsewhere: keys overwrite each "
                           "other, or leave gaps.");
    }
}

} // namespace

void verify_part_counts(StepPart const& part, KnownPart& known) {
    std::string const where =
        part.header.operation == Operation::histogram ? "" : step_text(part.step, "");
    part.report.mark_checked(Check::histograms);
    if (part.records.histograms.size() != 1) {
        bool const none = part.records.histograms.empty();
        if (none && known.keys > 0) {
            part.report.add(
                lacks(Check::histograms).at(where).on(part.gpu).expect("counts of the GPU's keys"));
        } else if (!none) {
            part.report.differ(Check::histograms, Verdict::wrong_execution)
                .at(where)
                .on(part.gpu)
                .expect("one histogram")
                .found(std::to_string(part.records.histograms.size()))
                .implies("It is unclear which one counts.");
        }
    }
    for (HistogramRecord const* const record : part.records.histograms) {
        if (record->counts.size() != part.function.buckets) {
            continue; // it refers to another function, which is reported already
        }
        if (record->offset != 0) {
            part.report.differ(Check::histograms)
                .at(where)
                .on(part.gpu)
                .expect("a part that begins at 0")
                .found("at " + std::to_string(record->offset))
                .implies("Other keys are counted than the GPU holds.");
        }
        if (known.expected) {
            compare_counts(part, where, known.counts, record->counts);
        } else if (add_up(record->counts, known.keys)) {
            known.counts = record->counts;
        } else {
            part.report.differ(Check::histograms, Verdict::wrong_execution)
                .at(where)
                .on(part.gpu)
                .expect("counts that sum up to " + keys_text(known.keys))
                .found("others")
                .implies("Keys are not counted, or counted twice.");
        }
    }
}

} // namespace keyswap::model::verify
