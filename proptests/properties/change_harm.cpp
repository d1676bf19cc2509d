#include "proptests/properties/change_harm.hpp"

#include "proptests/properties/reference_run.hpp"

#include <algorithm>

namespace keyswap::proptests {

std::vector<OwnershipRecord> filled(std::vector<OwnershipRecord> ownership) {
    std::erase_if(ownership, [](OwnershipRecord const& owner) { return owner.count == 0; });
    return ownership;
}

std::vector<HistogramRecord> filled(std::vector<HistogramRecord> histograms) {
    std::erase_if(histograms, [](HistogramRecord const& histogram) {
        return std::ranges::all_of(histogram.counts,
                                   [](std::uint64_t count) { return count == 0; });
    });
    return histograms;
}

namespace {

using model::verify::RecordedRun;

/// Equality up to order: records carry their own context (traces/FORMAT.md, "Order").
template <typename Record>
bool same(std::vector<Record> const& a, std::vector<Record> const& b) {
    return std::ranges::is_permutation(a, b);
}

/// Equality of all records that affect the output, except the headers.
bool same_records(RecordedRun const& a, RecordedRun const& b) {
    return same(a.functions, b.functions) && same(filled(a.histograms), filled(b.histograms)) &&
           same(a.placements, b.placements) && same(filled(a.ownership), filled(b.ownership)) &&
           same(a.copies, b.copies) && same(a.merges, b.merges) && same(a.digests, b.digests);
}

/// True for text and times, which do not affect the run.
bool has_no_effect(ChangedField const& field) {
    return field.record == "phase_time" || (field.record == "verdict" && field.field == "detail");
}

} // namespace

std::optional<std::string> observable_change(RecordedRun const& changed,
                                             std::vector<ChangedField> const& fields) {
    if (std::ranges::all_of(fields, has_no_effect)) {
        return std::nullopt;
    }
    bool const of_header = std::ranges::any_of(
        fields, [](ChangedField const& field) { return field.record == "header"; });
    auto const genuine = record_reference(changed.header);
    bool const of_gpus = std::ranges::any_of(
        fields, [](ChangedField const& field) { return field.field == "gpus"; });
    if (!genuine && of_gpus) {
        // A P2P merge sort on a number of GPUs that the model refuses. Version 1 lacks stages and
        // cannot be executed.
        return changed.header.version > 1 ? carry_out(changed) : std::nullopt;
    }
    if (!genuine) {
        return "the header names no run";
    }
    bool const merges = changed.header.algorithm != "rmg";
    bool const has_stages = !merges || changed.header.version > 1;
    RecordedRun const expected = has_stages ? *genuine : as_version_1(*genuine);
    if ((of_header || !has_stages) && !same_records(changed, expected)) {
        return "the header's run makes other records";
    }
    if (!has_stages) { // stages cannot be executed: compare the sorts
        return same(changed.sort_ranges, expected.sort_ranges)
                   ? std::nullopt
                   : std::optional<std::string>("the header's run sorts other ranges");
    }
    return carry_out(changed);
}

} // namespace keyswap::proptests
