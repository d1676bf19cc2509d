/// \file Faults in placements and ownership.

#include "proptests/faults/trace_fault_kinds.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::proptests {

namespace {

using model::verify::RecordedRun;

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

bool is_placed(PlacementRecord const& placement) {
    return placement.state == PlacementState::placed;
}

bool gpus_of_two_buckets_swapped(RecordedRun& run, std::uint64_t choice) {
    auto const two =
        pick_two(run.placements, choice, is_placed, [](auto const& one, auto const& other) {
            return is_placed(other) && one.first != other.first;
        });
    if (two) {
        std::swap(two->first->first, two->second->first);
        std::swap(two->first->last, two->second->last);
    }
    return two.has_value();
}

bool buckets_of_equal_size_swapped(RecordedRun& run, std::uint64_t choice) {
    auto const two = pick_two(run.placements,
                              choice,
                              any<PlacementRecord>,
                              [](PlacementRecord const& one, PlacementRecord const& other) {
                                  return one.begin != other.begin &&
                                         one.end - one.begin == other.end - other.begin;
                              });
    if (two) {
        std::swap(two->first->bucket, two->second->bucket);
    }
    return two.has_value();
}

/// The GPU whose ideal chunk contains an output index.
GpuId ideal_owner(RecordedRun const& run, std::uint64_t index) {
    std::uint64_t const gpus = run.gpu_count();
    std::uint64_t const chunk = (run.header.key_count + gpus - 1) / gpus;
    return GpuId{static_cast<std::uint32_t>(index / chunk)};
}

bool tolerance_ignored(RecordedRun& run, std::uint64_t choice) {
    auto const used_tolerance = [&run](PlacementRecord const& placement) {
        return is_placed(placement) &&
               ideal_owner(run, placement.begin) != ideal_owner(run, placement.end - 1);
    };
    return change_one(run.placements, choice, used_tolerance, [&run](PlacementRecord& bucket) {
        bucket.first = ideal_owner(run, bucket.begin);
        bucket.last = ideal_owner(run, bucket.end - 1);
        bucket.state = PlacementState::spanning;
    });
}

bool spanning_bucket_placed(RecordedRun& run, std::uint64_t choice) {
    auto const spans = [](PlacementRecord const& placement) {
        return placement.state == PlacementState::spanning;
    };
    return change_one(run.placements, choice, spans, [](PlacementRecord& bucket) {
        bucket.last = bucket.first;
        bucket.state = PlacementState::placed;
    });
}

bool known_by_last_digit_only(RecordedRun& run, std::uint64_t choice) {
    std::uint64_t const mask = (std::uint64_t{1} << run.header.digit_bits) - 1;
    return change_one(
        run.placements,
        choice,
        [mask](PlacementRecord const& placement) { return placement.bucket.prefix > mask; },
        [mask](PlacementRecord& placement) { placement.bucket.prefix &= mask; });
}

bool placement_dropped(RecordedRun& run, std::uint64_t choice) {
    return drop_one(run.placements, choice);
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

} // namespace

std::vector<TraceFault> placement_faults() {
    using enum model::verify::Verdict;
    return {
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
    };
}

} // namespace keyswap::proptests
