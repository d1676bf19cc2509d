#include "simulator/schedules/exchange_plan.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace keyswap::simulator {

bool one_pass_places_all(model::Plan const& plan) {
    return plan.pass_count() == 1 &&
           std::ranges::all_of(plan.buckets, [](model::PlannedBucket const& bucket) {
               return bucket.placement.state == PlacementState::placed;
           });
}

std::vector<kernels::FinalBucket> final_buckets(model::Plan const& plan) {
    std::vector<kernels::FinalBucket> buckets;
    std::vector<std::uint64_t> offsets(plan.config.gpu_count);
    for (model::PlannedBucket const& planned : plan.buckets) {
        model::ImageInterval const images = images_of(plan, planned);
        kernels::FinalBucket bucket{planned.placement, {}, {images.lowest, images.highest}};
        for (GpuId gpu{0}; gpu.value < plan.config.gpu_count; ++gpu.value) {
            std::uint64_t const count = part_size(plan, planned, gpu);
            bucket.parts.push_back({offsets[gpu.value], count});
            offsets[gpu.value] += count;
        }
        buckets.push_back(std::move(bucket));
    }
    return buckets;
}

kernels::RoundDemand round_demand(model::Plan const& plan, bool to_host, kernels::BucketSort sort) {
    model::SortConfig const& config = plan.config;
    return {.keys_per_gpu = plan.chunks.size(),
            .element_bytes = config.element_bytes(),
            .to_host = to_host,
            .sort = sort};
}

kernels::SwapRounds exchange_rounds(model::Plan const& plan,
                                    std::span<kernels::FinalBucket const> buckets,
                                    std::span<int const> shares,
                                    int bits_below_first) {
    std::vector<std::uint64_t> chunks;
    for (GpuId gpu{0}; gpu.value < plan.config.gpu_count; ++gpu.value) {
        chunks.push_back(plan.chunks.of(gpu).size());
    }
    return kernels::plan_rounds(
        buckets, plan.ownership, chunks, owned_max(plan), shares, bits_below_first);
}

std::vector<std::uint64_t> half_counts(model::Plan const& plan, model::KeySource& keys) {
    model::DigitLayout const halves(plan.layout.key_bits(), plan.layout.digit_bits() + 1);
    BucketPrefix const all{};
    model::BucketHistogram const counted = keys.histograms(plan.chunks, halves, {&all, 1}).front();
    std::vector<std::uint64_t> counts;
    for (GpuId gpu{0}; gpu.value < plan.config.gpu_count; ++gpu.value) {
        std::ranges::copy(counted.of(gpu), std::back_inserter(counts));
    }
    return counts;
}

std::vector<LocalSegment> ExchangePlan::arrived(GpuId gpu, std::uint32_t round) const {
    std::vector<LocalSegment> those;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        if (segments[i].gpu == gpu && segments[i].round == round) {
            those.push_back(sorted[i]);
        }
    }
    return those;
}

std::uint64_t ExchangePlan::keys_of_round(GpuId gpu, std::uint32_t round) const {
    kernels::RoundRange const& range = rounds.ranges[gpu.value][round];
    return range.end - range.begin;
}

ExchangePlan exchange_of(kernels::SwapRounds rounds, std::optional<std::uint64_t> fill_min) {
    ExchangePlan exchange;
    exchange.sends = kernels::swap_sends(rounds.plan, rounds.segments, fill_min);
    exchange.rounds = std::move(rounds.plan);
    exchange.segments = std::move(rounds.segments);
    for (kernels::SwapSegment const& segment : exchange.segments) {
        kernels::ImageRange const& images = segment.images;
        exchange.sorted.push_back(
            {{images.lowest, images.highest}, segment.count, images.end_bit(), {}});
    }
    return exchange;
}

model::BucketHistogram scatter_labels(std::span<kernels::SwapSegment const> segments) {
    KEYSWAP_EXPECTS(!segments.empty());
    auto const gpus = static_cast<std::uint32_t>(segments.front().sent.size());
    std::vector<std::vector<std::uint64_t>> rows(gpus);
    kernels::ImageRange last{1, 0};
    for (kernels::SwapSegment const& segment : segments) {
        bool const is_cut = segment.images == last; // split over GPUs, not by the scatter
        last = segment.images;
        for (std::uint32_t source = 0; source < gpus; ++source) {
            std::uint64_t const count = segment.sent[source].count;
            if (is_cut) {
                rows[source].back() += count;
            } else {
                rows[source].push_back(count);
            }
        }
    }
    model::BucketHistogram histogram({}, gpus, static_cast<std::uint32_t>(rows.front().size()));
    for (std::uint32_t source = 0; source < gpus; ++source) {
        bool const is_same = source > 0 && rows[source] == rows[source - 1];
        histogram.assign_row(GpuId{source},
                             is_same ? histogram.row_of(GpuId{source - 1})
                                     : histogram.add_row(rows[source]));
    }
    return histogram;
}

} // namespace keyswap::simulator
