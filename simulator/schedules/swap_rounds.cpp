#include "simulator/schedules/swap_rounds.hpp"

#include "traces/errors/contracts.hpp"

#include <array>

namespace keyswap::simulator {

namespace {

constexpr std::array one_round = {16};
constexpr std::array growing_rounds = {1, 2, 3, 5, 5};
constexpr std::array even_rounds = {2, 2, 3, 3, 3, 3};
constexpr std::uint64_t keys_worth_rounds = std::uint64_t{1} << 24;

/// Where each round of each GPU's own range ends, [round][g].
using RoundEnds = std::vector<std::vector<std::uint64_t>>;

/// Counts what moves in each round. \return where the rounds end
RoundEnds
fill_rounds(model::Plan const& plan, std::span<int const> shares, std::vector<SwapRound>& rounds) {
    std::uint32_t const gpus = plan.config.gpu_count;
    RoundEnds ends(shares.size(), std::vector<std::uint64_t>(gpus));
    std::size_t index = 0;
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        OwnershipRecord const& owned = plan.ownership[gpu];
        std::uint64_t position = 0;
        std::uint64_t sixteenths = 0;
        for (std::size_t round = 0; round < shares.size(); ++round) {
            sixteenths += static_cast<std::uint64_t>(shares[round]);
            std::uint64_t const target = owned.count / 16 * sixteenths;
            bool const is_last = round + 1 == shares.size();
            while (index < plan.buckets.size() &&
                   plan.buckets[index].placement.first.value == gpu &&
                   (is_last || position < target)) {
                model::PlannedBucket const& bucket = plan.buckets[index];
                for (std::uint32_t source = 0; source < gpus; ++source) {
                    rounds[round].keys[source * gpus + gpu] +=
                        part_size(plan, bucket, GpuId{source});
                }
                rounds[round].buckets[gpu] += 1;
                position = bucket.placement.end - owned.base;
                ++index;
            }
            ends[round][gpu] = position;
        }
    }
    KEYSWAP_ENSURES(index == plan.buckets.size());
    return ends;
}

} // namespace

std::span<int const> round_shares(std::uint64_t keys_per_gpu, RoundSort sort) {
    if (keys_per_gpu < keys_worth_rounds) {
        return one_round;
    }
    if (sort == RoundSort::counting) {
        return even_rounds;
    }
    return growing_rounds;
}

std::vector<SwapRound> swap_rounds(model::Plan const& plan, std::span<int const> shares) {
    std::uint32_t const gpus = plan.config.gpu_count;
    std::vector<SwapRound> rounds(shares.size(),
                                  SwapRound{std::vector<std::uint64_t>(std::size_t{gpus} * gpus),
                                            std::vector<std::uint64_t>(gpus),
                                            std::vector<std::uint32_t>(gpus)});
    RoundEnds const ends = fill_rounds(plan, shares, rounds);
    // A GPU may own the tolerance more than its chunk at either end.
    std::uint64_t const capacity = plan.chunks.size() + 2 * plan.tolerance;
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        std::uint64_t begin = capacity - plan.chunks.of(GpuId{gpu}).size();
        for (std::size_t sent = 0; sent < rounds.size(); ++sent) {
            for (std::size_t round = 0; round < rounds.size(); ++round) {
                rounds[round].sent_before[gpu] += begin < ends[round][gpu] ? 1 : 0;
            }
            for (std::uint32_t destination = 0; destination < gpus; ++destination) {
                begin += rounds[sent].keys[gpu * gpus + destination];
            }
        }
    }
    return rounds;
}

} // namespace keyswap::simulator
