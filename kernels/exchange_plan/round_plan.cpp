#include "kernels/exchange_plan/round_plan.hpp"

#include "kernels/exchange_plan/level_digits.hpp"

#include <algorithm>
#include <array>

namespace keyswap::kernels {

namespace {

constexpr std::array one_round = {16};
constexpr std::array growing_rounds = {1, 2, 3, 3, 3, 4};
constexpr std::array even_rounds = {2, 2, 3, 3, 3, 3};
constexpr std::array few_rounds = {2, 5, 9};
/// Below this a round's sort takes about as long as its launches (20 us at 50 Gkeys/s).
constexpr std::uint64_t keys_worth_rounds = std::uint64_t{1} << 24;
/// Per GPU; measured on two and four H200, 2026-11-27 (FIGURES.md).
constexpr std::uint64_t bytes_worth_rounds = std::uint64_t{1} << 28;
constexpr std::uint64_t bytes_worth_six_rounds = std::uint64_t{1} << 30;

/// True if buckets[i] and buckets[i - 1] are pieces of the same bucket.
bool continues_bucket(std::span<FinalBucket const> buckets, std::size_t i) {
    return i > 0 && buckets[i].placement.bucket == buckets[i - 1].placement.bucket;
}

/// Cuts each destination's buckets into rounds by the shares of its keys.
void cut_rounds(RoundPlan& plan,
                std::span<FinalBucket const> buckets,
                std::span<OwnershipRecord const> ownership,
                std::span<int const> shares) {
    std::size_t bucket = 0;
    for (OwnershipRecord const& owned : ownership) {
        std::vector<RoundRange>& ranges = plan.ranges.emplace_back();
        std::uint64_t position = 0;
        std::uint64_t sixteenths = 0;
        for (int const share : shares) {
            sixteenths += static_cast<std::uint64_t>(share);
            std::uint64_t const target = owned.count / 16 * sixteenths;
            bool const last = sixteenths == 16;
            RoundRange range{bucket, bucket, position, position};
            while (bucket < buckets.size() && buckets[bucket].placement.first == owned.gpu &&
                   (last || position < target || continues_bucket(buckets, bucket))) {
                position = buckets[bucket].placement.end - owned.base;
                ++bucket;
            }
            range.end_bucket = bucket;
            range.end = position;
            ranges.push_back(range);
        }
    }
    KEYSWAP_ENSURES(bucket == buckets.size());
}

/// Computes every source's layout and lists its copies.
void lay_out_sources(RoundPlan& plan,
                     std::span<FinalBucket const> buckets,
                     std::span<std::uint64_t const> chunk_counts,
                     std::uint64_t capacity) {
    std::uint32_t const gpus = plan.gpu_count;
    std::vector<std::uint64_t> at(gpus);
    for (std::uint32_t source = 0; source < gpus; ++source) {
        at[source] = capacity - chunk_counts[source];
    }
    auto const lay_out = [&](std::uint32_t round, std::uint32_t turn) {
        for (std::uint32_t source = 0; source < gpus; ++source) {
            std::uint32_t const destination = (source + turn) % gpus;
            RoundRange const& range = plan.ranges[destination][round];
            std::uint64_t const begin = at[source];
            for (std::size_t i = range.first_bucket; i < range.end_bucket; ++i) {
                plan.layout[i * gpus + source] = at[source];
                at[source] += buckets[i].parts[source].count;
            }
            if (at[source] > begin) {
                plan.copies.push_back({GpuId{source},
                                       begin,
                                       GpuId{destination},
                                       0,
                                       at[source] - begin,
                                       static_cast<int>(round)});
            }
        }
    };
    std::uint32_t const last = plan.rounds - 1;
    lay_out(last, gpus);
    for (std::uint32_t round = 0; round < plan.rounds; ++round) {
        for (std::uint32_t turn = 1; turn < gpus; ++turn) {
            lay_out(round, turn);
        }
        if (round != last) {
            lay_out(round, gpus);
        }
    }
}

/// Within a destination's round, the sources' blocks are in ascending order of sources.
void place_arrivals(RoundPlan& plan, std::span<FinalBucket const> buckets) {
    std::uint32_t const gpus = plan.gpu_count;
    for (std::uint32_t destination = 0; destination < gpus; ++destination) {
        for (RoundRange const& range : plan.ranges[destination]) {
            std::uint64_t at = range.begin;
            for (std::uint32_t source = 0; source < gpus; ++source) {
                for (std::size_t i = range.first_bucket; i < range.end_bucket; ++i) {
                    plan.arrival[i * gpus + source] = at;
                    at += buckets[i].parts[source].count;
                }
            }
            KEYSWAP_ENSURES(at == range.end);
        }
    }
    for (CopyRecord& copy : plan.copies) {
        RoundRange const& range = plan.range_of(copy);
        copy.destination_offset = plan.arrival_of(range.first_bucket, copy.source.value);
    }
}

/// Determines when results may overwrite buffer 1, which holds the chunks: round r's result covers
/// [0, end of r's range), as earlier results precede it.
void order_overwrites(RoundPlan& plan) {
    for (CopyRecord const& copy : plan.copies) {
        std::vector<RoundRange>& ranges = plan.ranges[copy.source.value];
        auto const round = static_cast<std::uint32_t>(copy.stage);
        if (copy.source == copy.destination) {
            RoundRange& own = ranges[round];
            own.own_part = copy.source_offset >= own.end ? KeyBuffer::output : KeyBuffer::input;
            continue;
        }
        for (RoundRange& range : ranges) {
            if (copy.source_offset < range.end) {
                range.rounds_sent_before = std::max(range.rounds_sent_before, round + 1);
            }
        }
    }
}

} // namespace

std::span<int const> round_shares(RoundDemand const& demand) {
    bool const is_short = !demand.to_host && !demand.rounds_min;
    std::uint64_t const bytes = demand.keys_per_gpu * demand.element_bytes;
    if (demand.keys_per_gpu < demand.rounds_min.value_or(keys_worth_rounds) ||
        (is_short && bytes < bytes_worth_rounds)) {
        return one_round;
    }
    if (demand.sort == BucketSort::counting) {
        return even_rounds;
    }
    return is_short && bytes < bytes_worth_six_rounds ? std::span<int const>{few_rounds}
                                                      : growing_rounds;
}

std::span<int const>
shares_by_ranges(std::span<int const> shares, std::uint32_t gpu_count, int digit_bits) {
    // A round or GPU that begins inside a digit splits it into two more segments.
    std::size_t const begins = gpu_count * (shares.size() + 1);
    bool const fit = (std::size_t{1} << digit_bits) + begins <= scatter_ranges_max;
    return fit ? shares : one_round;
}

RoundPlan make_round_plan(std::span<FinalBucket const> buckets,
                          std::span<OwnershipRecord const> ownership,
                          std::span<std::uint64_t const> chunk_counts,
                          std::uint64_t capacity,
                          std::span<int const> shares) {
    RoundPlan plan;
    plan.rounds = static_cast<std::uint32_t>(shares.size());
    plan.gpu_count = static_cast<std::uint32_t>(ownership.size());
    plan.layout.resize(buckets.size() * plan.gpu_count);
    plan.arrival.resize(buckets.size() * plan.gpu_count);
    cut_rounds(plan, buckets, ownership, shares);
    lay_out_sources(plan, buckets, chunk_counts, capacity);
    place_arrivals(plan, buckets);
    order_overwrites(plan);
    return plan;
}

} // namespace keyswap::kernels
