/// \file Faults in placements and ownership.

#include "proptests/trace_fault_kinds.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace keyswap::proptests {

namespace {

using conformance::RecordedRun;

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

} // namespace

std::vector<TraceFault> placement_faults() {
    using enum conformance::Verdict;
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
