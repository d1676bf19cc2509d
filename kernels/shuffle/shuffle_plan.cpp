#include "kernels/shuffle/shuffle_plan.hpp"

#include <algorithm>

namespace keyswap::kernels {

std::vector<std::uint32_t> default_owners(std::uint32_t buckets, std::uint32_t gpu_count) {
    std::vector<std::uint32_t> owners(buckets);
    for (std::uint32_t bucket = 0; bucket < buckets; ++bucket) {
        owners[bucket] = static_cast<std::uint32_t>(std::uint64_t{bucket} * gpu_count / buckets);
    }
    return owners;
}

tl::expected<std::vector<std::uint32_t>, std::string> validate_owners(
    std::vector<std::uint32_t> const& given, std::uint32_t buckets, std::uint32_t gpu_count) {
    if (given.empty()) {
        return default_owners(buckets, gpu_count);
    }
    if (given.size() != buckets) {
        return tl::unexpected(std::to_string(given.size()) + " owners are given for " +
                              std::to_string(buckets) + " buckets (give one for each)");
    }
    auto const wrong = std::find_if(given.begin(), given.end(), [gpu_count](std::uint32_t owner) {
        return owner >= gpu_count;
    });
    if (wrong != given.end()) {
        return tl::unexpected("bucket " + std::to_string(wrong - given.begin()) +
                              " is given to GPU " + std::to_string(*wrong) + " of " +
                              std::to_string(gpu_count) + " (number them from 0)");
    }
    return given;
}

ShuffleReport plan_shuffle(std::span<std::uint64_t const> counts,
                           std::span<std::uint32_t const> owners,
                           std::uint32_t gpu_count) {
    std::size_t const buckets = owners.size();
    auto const count_of = [&](std::uint32_t gpu, std::size_t bucket) {
        return counts[gpu * buckets + bucket];
    };
    ShuffleReport plan;
    plan.starts.resize(buckets);
    std::vector<std::uint64_t> arrivals(counts.size()); // [piece] offset on its owner
    std::uint64_t base = 0;
    for (std::uint32_t owner = 0; owner < gpu_count; ++owner) {
        std::uint64_t held = 0;
        for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
            if (owners[bucket] != owner) {
                continue;
            }
            plan.starts[bucket] = base + held;
            for (std::uint32_t source = 0; source < gpu_count; ++source) {
                arrivals[source * buckets + bucket] = held;
                held += count_of(source, bucket);
            }
            if (std::uint64_t const end = base + held; end > plan.starts[bucket]) {
                plan.placements.push_back({{1, bucket},
                                           plan.starts[bucket],
                                           end,
                                           GpuId{owner},
                                           GpuId{owner},
                                           PlacementState::placed});
            }
        }
        plan.ownership.push_back({GpuId{owner}, base, held});
        base += held;
    }
    for (std::uint32_t source = 0; source < gpu_count; ++source) {
        auto const first = static_cast<std::ptrdiff_t>(plan.copies.size());
        std::uint64_t offset = 0;
        for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
            std::uint64_t const count = count_of(source, bucket);
            if (count > 0) {
                plan.copies.push_back({GpuId{source},
                                       offset,
                                       GpuId{owners[bucket]},
                                       arrivals[source * buckets + bucket],
                                       count});
            }
            offset += count;
        }
        auto const distance = [&](CopyRecord const& copy) {
            return (copy.destination.value + gpu_count - source - 1) % gpu_count;
        };
        std::stable_sort(
            plan.copies.begin() + first,
            plan.copies.end(),
            [&](CopyRecord const& a, CopyRecord const& b) { return distance(a) < distance(b); });
    }
    return plan;
}

} // namespace keyswap::kernels
