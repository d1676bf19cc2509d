#include "simulator/cost/cost_model_skew.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace keyswap::simulator {

namespace {

/// A digit counts as scattered over all blocks, despite the order of others, if its share is below
/// this fraction of the keys' mean share.
constexpr double rare = 0.1;

double concentration(std::span<std::uint64_t const> counts) {
    double total = 0.0;
    double squares = 0.0;
    for (std::uint64_t const count : counts) {
        auto const keys = static_cast<double>(count);
        total += keys;
        squares += keys * keys;
    }
    return total > 0.0 ? squares / (total * total) : 0.0;
}

} // namespace

double positional_order(model::Plan const& plan) {
    return plan.passes.empty() ? 0.0 : positional_order(plan.passes.front().histograms.front());
}

double positional_order(model::BucketHistogram const& first) {
    double const whole = concentration(first.total());
    double parts = 0.0;
    int filled = 0;
    for (std::uint32_t gpu = 0; gpu < first.gpu_count(); ++gpu) {
        double const part = concentration(first.of(GpuId{gpu}));
        parts += part;
        filled += part > 0.0 ? 1 : 0;
    }
    if (filled < 2 || whole <= 0.0) {
        return 0.0;
    }
    double const growth = std::log(parts / filled / whole) / std::log(filled);
    return std::clamp(growth, 0.0, 1.0);
}

BlockSpread block_spread(model::BucketHistogram const& histogram,
                         GpuId gpu,
                         double positional_order,
                         std::uint64_t block_keys) {
    return block_spread(histogram.of(gpu), positional_order, block_keys);
}

BlockSpread BlockSpreads::of(GpuId gpu) {
    auto const [entry, is_new] = of_rows_.try_emplace(histogram_.row_of(gpu));
    if (is_new) {
        entry->second = block_spread(histogram_, gpu, positional_order_, block_keys_);
    }
    return entry->second;
}

BlockSpread block_spread(std::span<std::uint64_t const> counts,
                         double positional_order,
                         std::uint64_t block_keys,
                         std::uint64_t alike) {
    double const total =
        std::accumulate(counts.begin(), counts.end(), 0.0, [](double sum, std::uint64_t count) {
            return sum + static_cast<double>(count);
        });
    if (total == 0.0) {
        return {};
    }
    auto const block = static_cast<double>(block_keys);
    auto const digits = static_cast<double>(alike);
    double const own = concentration(counts) / digits;
    double fullest = 0.0;
    double in_place = 0.0;
    double strewn = 0.0; // digits present only as rare keys among others, out of order
    for (std::uint64_t const count : counts) {
        double const share = static_cast<double>(count) / total / digits;
        double const present =
            digits * (share < 1.0 ? -std::expm1(block * std::log1p(-share)) : 1.0);
        (share < rare * own ? strewn : in_place) += present;
        fullest = std::max(fullest, share);
    }
    double const smaller = std::max(1.0, total / block);
    double const inside = std::min(1.0, own * std::pow(smaller, positional_order));
    return {inside,
            std::max(1.0, in_place * own / inside) + strewn,
            std::min(1.0, fullest * inside / own)};
}

} // namespace keyswap::simulator
