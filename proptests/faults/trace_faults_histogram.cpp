/// \file Faults in histograms.

#include "proptests/faults/trace_fault_kinds.hpp"

#include <optional>
#include <utility>

namespace keyswap::proptests {

namespace {

using model::verify::RecordedRun;

/// Counts a key under another digit of its row.
std::optional<std::size_t> used_digit(HistogramRecord const& row, std::uint64_t choice) {
    std::vector<std::size_t> used;
    for (std::size_t digit = 0; digit < row.counts.size(); ++digit) {
        if (row.counts[digit] > 0) {
            used.push_back(digit);
        }
    }
    return used.empty() ? std::nullopt : std::optional(used[choice % used.size()]);
}

bool has_keys(HistogramRecord const& row) {
    return used_digit(row, 0).has_value();
}

bool count_off_by_one(RecordedRun& run, std::uint64_t choice) {
    return change_one(run.histograms, choice, has_keys, [choice](HistogramRecord& row) {
        row.counts[*used_digit(row, choice / 7)] += 1;
    });
}

bool lost_atomic(RecordedRun& run, std::uint64_t choice) {
    return change_one(run.histograms, choice, has_keys, [choice](HistogramRecord& row) {
        row.counts[*used_digit(row, choice / 7)] -= 1;
    });
}

bool key_in_the_next_digit(RecordedRun& run, std::uint64_t choice) {
    return change_one(run.histograms, choice, has_keys, [choice](HistogramRecord& row) {
        std::size_t const digit = *used_digit(row, choice / 7);
        row.counts[digit] -= 1;
        row.counts[(digit + 1) % row.counts.size()] += 1;
    });
}

/// Two different rows of one bucket.
auto two_rows(RecordedRun& run, std::uint64_t choice) {
    return pick_two(run.histograms, choice, has_keys, [](auto const& row, auto const& other) {
        return row.bucket == other.bucket && row.counts != other.counts;
    });
}

bool rows_of_two_gpus_swapped(RecordedRun& run, std::uint64_t choice) {
    auto const rows = two_rows(run, choice);
    if (rows) {
        std::swap(rows->first->counts, rows->second->counts);
    }
    return rows.has_value();
}

bool stale_row(RecordedRun& run, std::uint64_t choice) {
    auto const rows = two_rows(run, choice);
    if (rows) {
        rows->first->counts = rows->second->counts;
    }
    return rows.has_value();
}

bool row_dropped(RecordedRun& run, std::uint64_t choice) {
    HistogramRecord* const row = pick(run.histograms, choice, has_keys);
    if (row == nullptr) {
        return false;
    }
    run.histograms.erase(run.histograms.begin() + (row - run.histograms.data()));
    return true;
}

bool part_off_by_one(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.histograms, choice, has_keys, [](HistogramRecord& row) { row.offset += 1; });
}

} // namespace

std::vector<TraceFault> histogram_faults() {
    using enum model::verify::Verdict;
    return {
        {"histogram: count off by one",
         "a key is counted twice",
         {wrong_execution},
         count_off_by_one},
        {"histogram: lost atomic",
         "two threads count one key at once",
         {wrong_execution},
         lost_atomic},
        {"histogram: next digit",
         "a digit is read one too high",
         {wrong_execution},
         key_in_the_next_digit},
        {"histogram: GPUs swapped",
         "rows are gathered in another order",
         {wrong_execution},
         rows_of_two_gpus_swapped},
        {"histogram: stale row",
         "a row of another GPU is read before its own arrives",
         {wrong_execution},
         stale_row},
        {"histogram: row dropped",
         "a GPU is left out of the exchange",
         {wrong_execution, incomplete_trace},
         row_dropped},
        {"histogram: part off by one",
         "the part of a bucket begins one key late",
         {wrong_plan},
         part_off_by_one},
    };
}

} // namespace keyswap::proptests
