/// \file The counts of one step on one GPU.

#include "model/verify/partition_parts.hpp"
#include "model/verify/verify_parts.hpp"

#include <algorithm>

namespace keyswap::conformance {

namespace {

/// Without being misled by a sum that leaves 64 bits.
bool adds_up_to(std::vector<std::uint64_t> const& counts, std::uint64_t keys) {
    bool const fits = std::ranges::all_of(counts, [&keys](std::uint64_t count) {
        bool const possible = count <= keys;
        keys -= possible ? count : 0;
        return possible;
    });
    return fits && keys == 0;
}

void compare_counts(StepPart const& part,
                    std::string const& where,
                    std::vector<std::uint64_t> const& expected,
                    std::vector<std::uint64_t> const& recorded) {
    auto const [right, found] = std::ranges::mismatch(expected, recorded);
    if (right != expected.end()) {
        part.findings.add(
            Verdict::wrong_execution,
            Check::histograms,
            where,
            keys_text(*right),
            std::to_string(*found),
            part.header.operation == Operation::histogram
                ? "The histogram is wrong."
                : "Later buckets start elsewhere: keys overwrite each other, or leave gaps.",
            part.gpu,
            static_cast<std::uint64_t>(right - expected.begin()));
    }
}

} // namespace

void verify_part_counts(StepPart const& part, KnownPart& known) {
    std::string const where =
        part.header.operation == Operation::histogram ? "" : step_text(part.step, "");
    mark_checked(part.findings.report(), Check::histograms);
    if (part.records.histograms.size() != 1) {
        bool const none = part.records.histograms.empty();
        if (none && known.keys > 0) {
            part.findings.incomplete(
                Check::histograms, where, "counts of the GPU's keys", part.gpu);
        } else if (!none) {
            part.findings.add(Verdict::wrong_execution,
                              Check::histograms,
                              where,
                              "one histogram",
                              std::to_string(part.records.histograms.size()),
                              "Nobody can say which of them counts.",
                              part.gpu);
        }
    }
    for (HistogramRecord const* const record : part.records.histograms) {
        if (record->counts.size() != part.function.buckets) {
            continue; // it names another function, which was told
        }
        if (record->offset != 0) {
            part.findings.add(Verdict::wrong_plan,
                              Check::histograms,
                              where,
                              "a part that begins at 0",
                              "at " + std::to_string(record->offset),
                              "Other keys are counted than the GPU holds.",
                              part.gpu);
        }
        if (known.expected) {
            compare_counts(part, where, known.counts, record->counts);
        } else if (adds_up_to(record->counts, known.keys)) {
            known.counts = record->counts;
        } else {
            part.findings.add(Verdict::wrong_execution,
                              Check::histograms,
                              where,
                              "counts that sum up to " + keys_text(known.keys),
                              "others",
                              "Keys are not counted, or counted twice.",
                              part.gpu);
        }
    }
}

} // namespace keyswap::conformance
