/// \file Faults that concern a run as a whole.

#include "proptests/faults/trace_fault_kinds.hpp"

namespace keyswap::proptests {

namespace {

using model::verify::RecordedRun;

bool output_out_of_order(RecordedRun& run, std::uint64_t /*choice*/) {
    for (VerdictRecord& verdict : run.verdicts) {
        verdict.holds = verdict.holds && verdict.property != "sorted";
    }
    return !run.verdicts.empty();
}

bool other_keys_sorted(RecordedRun& run, std::uint64_t choice) {
    if (!run.header.input.content || run.header.key_count == 0) {
        return false;
    }
    run.header.input.content->low += choice | 1;
    return true;
}

bool kind_left_out(RecordedRun& run, std::uint64_t choice) {
    if (run.histograms.empty()) {
        return false;
    }
    switch (choice % 4) {
    case 0:
        run.histograms.clear();
        break;
    case 1:
        run.placements.clear();
        break;
    case 2:
        run.copies.clear();
        break;
    default:
        run.sort_ranges.clear();
    }
    return true;
}

} // namespace

std::vector<TraceFault> run_faults() {
    using enum model::verify::Verdict;
    return {
        {"run: output out of order",
         "the run's own check of its output fails",
         {wrong_order},
         output_out_of_order},
        {"run: other keys",
         "the input is not what the header names",
         {wrong_input},
         other_keys_sorted},
        {"run: kind left out",
         "a whole kind of record is missing",
         {incomplete_trace},
         kind_left_out},
    };
}

} // namespace keyswap::proptests
