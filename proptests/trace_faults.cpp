#include "proptests/trace_faults.hpp"

#include "proptests/input_keys.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

namespace keyswap::proptests {

namespace {

using conformance::RecordedRun;
using conformance::Verdict;

/// An element that fulfils a condition, chosen by `choice`; null where there is none.
template <class Record, class Condition>
Record* pick(std::vector<Record>& records, std::uint64_t choice, Condition const& condition) {
    std::vector<Record*> candidates;
    for (Record& record : records) {
        if (condition(record)) {
            candidates.push_back(&record);
        }
    }
    return candidates.empty() ? nullptr : candidates[choice % candidates.size()];
}

template <class Record>
Record* pick(std::vector<Record>& records, std::uint64_t choice) {
    return pick(records, choice, [](Record const&) { return true; });
}

/// The digit of some key of a row.
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

// Histograms.

bool count_off_by_one(RecordedRun& run, std::uint64_t choice) {
    HistogramRecord* const row = pick(run.histograms, choice, has_keys);
    if (row == nullptr) {
        return false;
    }
    row->counts[*used_digit(*row, choice / 7)] += 1;
    return true;
}

bool lost_atomic(RecordedRun& run, std::uint64_t choice) {
    HistogramRecord* const row = pick(run.histograms, choice, has_keys);
    if (row == nullptr) {
        return false;
    }
    row->counts[*used_digit(*row, choice / 7)] -= 1;
    return true;
}

bool key_in_the_next_digit(RecordedRun& run, std::uint64_t choice) {
    HistogramRecord* const row = pick(run.histograms, choice, has_keys);
    if (row == nullptr) {
        return false;
    }
    std::size_t const digit = *used_digit(*row, choice / 7);
    row->counts[digit] -= 1;
    row->counts[(digit + 1) % row->counts.size()] += 1;
    return true;
}

/// Two rows of one bucket that differ.
std::optional<std::pair<HistogramRecord*, HistogramRecord*>> two_rows(RecordedRun& run,
                                                                      std::uint64_t choice) {
    HistogramRecord* const first = pick(run.histograms, choice, has_keys);
    if (first == nullptr) {
        return std::nullopt;
    }
    HistogramRecord* const second = pick(run.histograms, choice / 5, [&](auto const& row) {
        return row.bucket == first->bucket && row.counts != first->counts;
    });
    return second == nullptr ? std::nullopt : std::optional(std::pair(first, second));
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
    HistogramRecord* const row = pick(run.histograms, choice, has_keys);
    if (row != nullptr) {
        row->offset += 1;
    }
    return row != nullptr;
}

// Placements.

bool border_off_by_one(RecordedRun& run, std::uint64_t choice) {
    PlacementRecord* const low =
        pick(run.placements, choice, [&run](PlacementRecord const& candidate) {
            return std::ranges::any_of(run.placements, [&candidate](PlacementRecord const& next) {
                return next.begin == candidate.end;
            });
        });
    if (low == nullptr) {
        return false;
    }
    for (PlacementRecord& next : run.placements) {
        if (next.begin == low->end) {
            next.begin -= 1;
        }
    }
    low->end -= 1;
    return true;
}

/// Two placed buckets of different GPUs.
std::optional<std::pair<PlacementRecord*, PlacementRecord*>> two_placed(RecordedRun& run,
                                                                        std::uint64_t choice) {
    auto const placed = [](PlacementRecord const& placement) {
        return placement.state == PlacementState::placed;
    };
    PlacementRecord* const first = pick(run.placements, choice, placed);
    if (first == nullptr) {
        return std::nullopt;
    }
    PlacementRecord* const second = pick(run.placements, choice / 5, [&](auto const& other) {
        return placed(other) && other.first != first->first;
    });
    return second == nullptr ? std::nullopt : std::optional(std::pair(first, second));
}

bool gpus_of_two_buckets_swapped(RecordedRun& run, std::uint64_t choice) {
    auto const buckets = two_placed(run, choice);
    if (buckets) {
        std::swap(buckets->first->first, buckets->second->first);
        std::swap(buckets->first->last, buckets->second->last);
    }
    return buckets.has_value();
}

bool buckets_of_equal_size_swapped(RecordedRun& run, std::uint64_t choice) {
    PlacementRecord* const first = pick(run.placements, choice);
    if (first == nullptr) {
        return false;
    }
    PlacementRecord* const second = pick(run.placements, choice / 5, [&](auto const& other) {
        return other.begin != first->begin && other.end - other.begin == first->end - first->begin;
    });
    if (second == nullptr) {
        return false;
    }
    std::swap(first->bucket, second->bucket);
    return true;
}

/// The GPU whose ideal chunk holds an index of the output.
GpuId ideal_owner(RecordedRun const& run, std::uint64_t index) {
    std::uint64_t const gpus = run.gpu_count();
    std::uint64_t const chunk = (run.header.key_count + gpus - 1) / gpus;
    return GpuId{static_cast<std::uint32_t>(index / chunk)};
}

bool tolerance_ignored(RecordedRun& run, std::uint64_t choice) {
    auto const used_tolerance = [&run](PlacementRecord const& placement) {
        return placement.state == PlacementState::placed &&
               ideal_owner(run, placement.begin) != ideal_owner(run, placement.end - 1);
    };
    PlacementRecord* const bucket = pick(run.placements, choice, used_tolerance);
    if (bucket == nullptr) {
        return false;
    }
    bucket->first = ideal_owner(run, bucket->begin);
    bucket->last = ideal_owner(run, bucket->end - 1);
    bucket->state = PlacementState::spanning;
    return true;
}

bool spanning_bucket_placed(RecordedRun& run, std::uint64_t choice) {
    PlacementRecord* const bucket = pick(run.placements, choice, [](auto const& placement) {
        return placement.state == PlacementState::spanning;
    });
    if (bucket == nullptr) {
        return false;
    }
    bucket->last = bucket->first;
    bucket->state = PlacementState::placed;
    return true;
}

bool known_by_last_digit_only(RecordedRun& run, std::uint64_t choice) {
    std::uint64_t const mask = (std::uint64_t{1} << run.header.digit_bits) - 1;
    PlacementRecord* const bucket = pick(run.placements, choice, [mask](auto const& placement) {
        return placement.bucket.prefix > mask;
    });
    if (bucket == nullptr) {
        return false;
    }
    bucket->bucket.prefix &= mask;
    return true;
}

bool placement_dropped(RecordedRun& run, std::uint64_t choice) {
    if (run.placements.size() < 2) {
        return false;
    }
    run.placements.erase(run.placements.begin() +
                         static_cast<std::ptrdiff_t>(choice % run.placements.size()));
    return true;
}

// Ownership.

bool ownership_border_moved(RecordedRun& run, std::uint64_t choice) {
    if (run.ownership.size() < 2) {
        return false;
    }
    std::size_t const low = choice % (run.ownership.size() - 1);
    if (run.ownership[low].count == 0) {
        return false;
    }
    run.ownership[low].count -= 1;
    run.ownership[low + 1].base -= 1;
    run.ownership[low + 1].count += 1;
    return true;
}

bool one_gpu_owns_all(RecordedRun& run, std::uint64_t choice) {
    std::uint64_t const n = run.header.key_count;
    if (run.ownership.size() < 3 || n < 3 * run.ownership.size()) {
        return false;
    }
    for (OwnershipRecord& owner : run.ownership) {
        owner = {owner.gpu, owner.gpu.value == 0 ? 0 : n, 0};
    }
    OwnershipRecord& owner = run.ownership[choice % run.ownership.size()];
    owner.base = 0;
    owner.count = n;
    return true;
}

// Copies.

bool copy_dropped(RecordedRun& run, std::uint64_t choice) {
    if (run.copies.size() < 2) {
        return false;
    }
    run.copies.erase(run.copies.begin() + static_cast<std::ptrdiff_t>(choice % run.copies.size()));
    return true;
}

bool copy_doubled(RecordedRun& run, std::uint64_t choice) {
    CopyRecord const* const copy = pick(run.copies, choice);
    if (copy != nullptr) {
        run.copies.push_back(CopyRecord{*copy});
    }
    return copy != nullptr;
}

bool copy_truncated(RecordedRun& run, std::uint64_t choice) {
    CopyRecord* const copy =
        pick(run.copies, choice, [](CopyRecord const& candidate) { return candidate.count > 1; });
    if (copy != nullptr) {
        copy->count -= 1;
    }
    return copy != nullptr;
}

bool copy_to_another_gpu(RecordedRun& run, std::uint64_t choice) {
    CopyRecord* const copy = pick(run.copies, choice);
    if (copy == nullptr || run.gpu_count() < 2) {
        return false;
    }
    copy->destination.value = (copy->destination.value + 1) % run.gpu_count();
    return true;
}

bool destinations_swapped(RecordedRun& run, std::uint64_t choice) {
    CopyRecord* const first = pick(run.copies, choice);
    if (first == nullptr) {
        return false;
    }
    CopyRecord* const second = pick(run.copies, choice / 5, [first](CopyRecord const& other) {
        return other.count == first->count &&
               (other.destination != first->destination ||
                other.destination_offset != first->destination_offset);
    });
    if (second == nullptr) {
        return false;
    }
    std::swap(first->destination, second->destination);
    std::swap(first->destination_offset, second->destination_offset);
    return true;
}

bool copy_shifted_at_its_source(RecordedRun& run, std::uint64_t choice) {
    CopyRecord* const copy = pick(run.copies, choice);
    if (copy != nullptr) {
        copy->source_offset += 1;
    }
    return copy != nullptr;
}

// Sort ranges.

bool one_bit_too_few(RecordedRun& run, std::uint64_t choice) {
    SortRangeRecord* const range = pick(run.sort_ranges, choice, [](SortRangeRecord const& r) {
        return r.end_bit > 0 && r.count > 0;
    });
    if (range != nullptr) {
        range->end_bit -= 1;
    }
    return range != nullptr;
}

bool lowest_bit_left_out(RecordedRun& run, std::uint64_t choice) {
    SortRangeRecord* const range = pick(run.sort_ranges, choice, [](SortRangeRecord const& r) {
        return r.end_bit > 0 && r.count > 0;
    });
    if (range != nullptr) {
        range->begin_bit = 1;
    }
    return range != nullptr;
}

bool range_dropped(RecordedRun& run, std::uint64_t choice) {
    if (run.sort_ranges.size() < 2) {
        return false;
    }
    run.sort_ranges.erase(run.sort_ranges.begin() +
                          static_cast<std::ptrdiff_t>(choice % run.sort_ranges.size()));
    return true;
}

bool tail_not_sorted(RecordedRun& run, std::uint64_t choice) {
    SortRangeRecord* const range =
        pick(run.sort_ranges, choice, [](SortRangeRecord const& r) { return r.count > 1; });
    if (range != nullptr) {
        range->count -= 1;
    }
    return range != nullptr;
}

/// Neighbouring ranges become one with the bits of the narrower, as if their buckets had one
/// parent.
bool fused_across_parents(RecordedRun& run, std::uint64_t choice) {
    SortRangeRecord* const low = pick(run.sort_ranges, choice, [&run](SortRangeRecord const& r) {
        return r.end_bit > 0 &&
               std::ranges::any_of(run.sort_ranges, [&r](SortRangeRecord const& next) {
                   return next.gpu == r.gpu && next.offset == r.offset + r.count &&
                          next.end_bit > 0;
               });
    });
    if (low == nullptr) {
        return false;
    }
    auto const high = std::ranges::find_if(run.sort_ranges, [low](SortRangeRecord const& next) {
        return next.gpu == low->gpu && next.offset == low->offset + low->count;
    });
    low->count += high->count;
    low->end_bit = std::min(low->end_bit, high->end_bit);
    run.sort_ranges.erase(high);
    return true;
}

// Digests.

DigestRecord* pick_digest(RecordedRun& run, std::uint64_t choice, DigestStage stage) {
    return pick(run.digests, choice, [stage](DigestRecord const& record) {
        return record.stage == stage && record.digest.count > 0;
    });
}

bool stale_digest(RecordedRun& run, std::uint64_t choice) {
    DigestRecord* const first = pick_digest(run, choice, DigestStage::after_swap);
    if (first == nullptr) {
        return false;
    }
    DigestRecord const* const second = pick(run.digests, choice / 5, [first](auto const& other) {
        return other.stage == first->stage && other.digest != first->digest;
    });
    if (second == nullptr) {
        return false;
    }
    first->digest = second->digest;
    return true;
}

/// One key goes up by one and another of the bucket down: count and sum of the keys stay.
bool keys_replaced_by_others_of_the_same_sum(RecordedRun& run, std::uint64_t choice) {
    DigestRecord* const record = pick(run.digests, choice, [](DigestRecord const& candidate) {
        return candidate.stage == DigestStage::after_swap && candidate.digest.count >= 2;
    });
    auto const input = conformance::find_input(run.header);
    if (record == nullptr || !input || run.header.value_type != ValueType::none) {
        return false;
    }
    std::vector<std::uint64_t> keys(input->keys->key_count());
    input->keys->images(0, keys);
    std::uint64_t const a = keys[choice % keys.size()];
    std::uint64_t const b = keys[choice / 3 % keys.size()];
    MultisetDigest const old_a = digest_of(a);
    MultisetDigest const old_b = digest_of(b);
    MultisetDigest const new_a = digest_of(a + 1);
    MultisetDigest const new_b = digest_of(b - 1);
    record->digest.low += new_a.low + new_b.low - old_a.low - old_b.low;
    record->digest.high += new_a.high + new_b.high - old_a.high - old_b.high;
    return a + 1 != b; // otherwise the two only change places
}

bool key_lost_in_the_swap(RecordedRun& run, std::uint64_t choice) {
    DigestRecord* const record = pick_digest(run, choice, DigestStage::after_swap);
    if (record != nullptr) {
        record->digest.count -= 1;
    }
    return record != nullptr;
}

bool digests_of_two_buckets_swapped(RecordedRun& run, std::uint64_t choice) {
    DigestRecord* const first = pick_digest(run, choice, DigestStage::before_swap);
    if (first == nullptr) {
        return false;
    }
    DigestRecord* const second = pick(run.digests, choice / 5, [first](auto const& other) {
        return other.stage == first->stage && other.digest != first->digest;
    });
    if (second == nullptr) {
        return false;
    }
    std::swap(first->digest, second->digest);
    return true;
}

bool bucket_twice_after_the_swap(RecordedRun& run, std::uint64_t choice) {
    DigestRecord const* const record = pick_digest(run, choice, DigestStage::after_swap);
    if (record == nullptr || run.gpu_count() < 2) {
        return false;
    }
    DigestRecord copy = *record;
    copy.gpu.value = (copy.gpu.value + 1) % run.gpu_count();
    run.digests.push_back(copy);
    return true;
}

bool key_changed_by_the_sort(RecordedRun& run, std::uint64_t choice) {
    DigestRecord* const record = pick_digest(run, choice, DigestStage::after_sort);
    if (record != nullptr) {
        record->digest.high += 1;
    }
    return record != nullptr;
}

// The run as a whole.

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

std::vector<TraceFault> make_faults() {
    using enum Verdict;
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
        {"placement: border off by one",
         "an inclusive prefix sum, or <= for <",
         {wrong_plan},
         border_off_by_one},
        {"placement: GPUs swapped",
         "two buckets go to each other's GPU",
         {wrong_plan},
         gpus_of_two_buckets_swapped},
        {"placement: equal buckets swapped",
         "two buckets of equal size are taken for each other",
         {wrong_plan},
         buckets_of_equal_size_swapped},
        {"placement: tolerance ignored",
         "a small overhang is partitioned once more",
         {wrong_plan},
         tolerance_ignored},
        {"placement: spanning bucket placed",
         "a bucket over a border goes to one GPU whole",
         {wrong_plan},
         spanning_bucket_placed},
        {"placement: last digit only",
         "a bucket is known by its last digit, not by its prefix",
         {wrong_plan},
         known_by_last_digit_only},
        {"placement: dropped",
         "a bucket is forgotten",
         {wrong_plan, incomplete_trace},
         placement_dropped},
        {"ownership: border moved",
         "a GPU's range is one key short",
         {wrong_plan},
         ownership_border_moved},
        {"ownership: one GPU owns all",
         "the balance is lost",
         {wrong_plan, imbalance},
         one_gpu_owns_all},
        {"copy: dropped", "a copy is not queued", {lost_or_doubled_keys}, copy_dropped},
        {"copy: doubled",
         "a copy is queued twice",
         {wrong_plan, lost_or_doubled_keys},
         copy_doubled},
        {"copy: truncated",
         "the last key of a copy is left out",
         {wrong_plan, lost_or_doubled_keys},
         copy_truncated},
        {"copy: another GPU",
         "keys go to the next GPU",
         {wrong_plan, lost_or_doubled_keys},
         copy_to_another_gpu},
        {"copy: destinations swapped",
         "two copies of equal size arrive at each other's place",
         {wrong_plan, lost_or_doubled_keys},
         destinations_swapped},
        {"copy: shifted source",
         "a copy begins one key late",
         {wrong_plan, lost_or_doubled_keys},
         copy_shifted_at_its_source},
        {"sort range: one bit too few",
         "the highest bit that differs is not sorted",
         {wrong_plan},
         one_bit_too_few},
        {"sort range: lowest bit left out",
         "the first bit is not sorted",
         {wrong_plan},
         lowest_bit_left_out},
        {"sort range: dropped", "a group of buckets is never sorted", {wrong_plan}, range_dropped},
        {"sort range: tail not sorted",
         "the last key of a group is left out",
         {wrong_plan},
         tail_not_sorted},
        {"sort range: fused across parents",
         "groups are fused with too few bits",
         {wrong_plan},
         fused_across_parents},
        {"digest: scatter to another bucket",
         "two buckets' keys change places before the swap",
         {wrong_execution},
         digests_of_two_buckets_swapped},
        {"digest: stale memory",
         "a bucket holds what another left behind",
         {lost_or_doubled_keys},
         stale_digest},
        {"digest: other keys of the same sum",
         "count and sum agree, the keys do not",
         {lost_or_doubled_keys},
         keys_replaced_by_others_of_the_same_sum},
        {"digest: key lost",
         "a bucket is one key short after the swap",
         {lost_or_doubled_keys},
         key_lost_in_the_swap},
        {"digest: bucket twice",
         "a bucket lies on two GPUs",
         {lost_or_doubled_keys},
         bucket_twice_after_the_swap},
        {"digest: changed by the sort",
         "a key changes while it is sorted",
         {lost_or_doubled_keys},
         key_changed_by_the_sort},
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

} // namespace

std::span<TraceFault const> trace_faults() {
    static std::vector<TraceFault> const faults = make_faults();
    return faults;
}

} // namespace keyswap::proptests
