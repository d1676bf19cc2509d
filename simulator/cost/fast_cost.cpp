#include "simulator/cost/fast_cost.hpp"

#include "simulator/cost/cost_model.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace keyswap::simulator {

namespace {

/// Line of the L2 cache; every run of a bucket fills two partly.
constexpr double line_bytes = 128.0;

constexpr double bytes_per_second(double gigabytes_per_second) {
    return gigabytes_per_second * 1e9;
}

/// Number of arrays that a step moves: keys, and values if any.
double arrays_of(RecordBytes record) {
    return record.value > 0 ? 2.0 : 1.0;
}

/// Bytes read and written by a step, including lines shared by runs of `digits` digits per tile.
double moved_bytes(RecordBytes record, double keys, double tile_keys, double digits) {
    double const runs = keys / tile_keys * digits * arrays_of(record);
    return 2.0 * keys * static_cast<double>(record.sum()) + runs * line_bytes;
}

/// Ratio of the largest of 128 leaves to the mean, for splitters that represent 120 bytes of
/// sampled keys each: the 127.5 / 128 quantile of the gamma distribution by Wilson and Hilferty.
/// Source: kernels/primitives/steps/direct_step.hpp.
double largest_leaf(std::size_t key_bytes) {
    constexpr double drawn_bytes = 120.0;
    constexpr double normal_quantile = 2.66;
    double const variance = static_cast<double>(key_bytes) / (9.0 * drawn_bytes);
    double const root = 1.0 - variance + normal_quantile * std::sqrt(variance);
    return root * root * root;
}

/// Probability that at least 8 of a warp's 32 keys share a digit, assuming that about concentration
/// / share^2 digits are as frequent as the fullest one.
double chance_of_hot_warp(BlockSpread const& spread) {
    constexpr int lanes = 32;
    constexpr int hot_keys = 8; // Source: kernels/primitives/steps/tile_ranks.cuh
    double const share = std::clamp(std::max(spread.fullest, spread.concentration), 0.0, 1.0);
    if (share == 0.0 || share == 1.0) {
        return share;
    }
    double below = 0.0;
    double term = std::pow(1.0 - share, lanes); // no key has the digit
    for (int keys = 0; keys < hot_keys; ++keys) {
        below += term;
        term *= share / (1.0 - share) * (lanes - keys) / (keys + 1);
    }
    double const alike = std::max(1.0, spread.concentration / (share * share));
    return 1.0 - std::pow(std::min(below, 1.0), alike);
}

} // namespace

FastKernels::FastKernels(DeviceProfile const& profile) : profile_(profile) {
    KEYSWAP_EXPECTS(profile.fast.has_value());
}

KernelCost FastKernels::busy(double seconds) const {
    // A copy reads and writes each byte.
    constexpr double bytes_max = 9e18;
    double const copied =
        std::min(2.0 * bytes_per_second(profile_.local_copy_GBps) * seconds, bytes_max);
    return {from_seconds(seconds), static_cast<std::uint64_t>(copied), profile_.cold_memory};
}

KernelCost FastKernels::histogram(std::size_t key_bytes, std::uint64_t key_count) const {
    return count(key_bytes, key_count, 0);
}

KernelCost
FastKernels::count(std::size_t key_bytes, std::uint64_t key_count, int digit_count) const {
    double const bytes = static_cast<double>(key_count) * static_cast<double>(key_bytes);
    return busy(bytes / bytes_per_second(profile_.fast->read_GBps) +
                seconds_of_keys(key_count, digit_count * profile_.fast->count_ps));
}

KernelCost
FastKernels::tree_histogram(std::size_t key_bytes, std::uint64_t key_count, int depth) const {
    double const bytes = static_cast<double>(key_count) * static_cast<double>(key_bytes);
    double const words = static_cast<double>(key_bytes) / sizeof(std::uint32_t);
    return busy(std::max(bytes / bytes_per_second(profile_.fast->read_GBps),
                         seconds_of_keys(key_count, depth * words * profile_.fast->walk_ps)));
}

KernelCost FastKernels::unstable_step(RecordBytes record,
                                      std::uint64_t key_count,
                                      BlockSpread const& spread,
                                      std::uint64_t tile_keys) const {
    constexpr double lanes = 32.0;
    constexpr double page_bytes = 1024.0; ///< HBM page that each run opens
    auto const keys = static_cast<double>(key_count);
    auto const width = static_cast<double>(record.sum());
    auto const block_keys = static_cast<double>(tile_keys);
    double const moved = moved_bytes(record, keys, block_keys, spread.digits_present);
    double const run_bytes = block_keys * width / (spread.digits_present * arrays_of(record));
    double const broken = std::min(1.0, page_bytes / run_bytes);
    double const scattered = moved / bytes_per_second(profile_.fast->step_GBps);
    double const streamed = moved / bytes_per_second(2.0 * profile_.local_copy_GBps);
    double const memory = streamed + broken * std::max(0.0, scattered - streamed);
    double const meeting = 1.0 + (lanes - 1.0) * spread.concentration;
    double const atomics = (1.0 - chance_of_hot_warp(spread)) *
                           seconds_of_keys(key_count, profile_.fast->conflict_ps * meeting);
    double const value_ps = record.value > 0 ? profile_.fast->step_value_ps : 0.0;
    return busy(std::max(memory, atomics) + seconds_of_keys(key_count, value_ps));
}

KernelCost FastKernels::unstable_step(RecordBytes record, std::uint64_t key_count, int bits) const {
    double const digits = std::ldexp(1.0, bits);
    return unstable_step(record, key_count, BlockSpread{1.0 / digits, digits, 1.0 / digits});
}

KernelCost FastKernels::range_step(RecordBytes record,
                                   std::uint64_t key_count,
                                   BlockSpread const& spread) const {
    double const step = to_seconds(unstable_step(record, key_count, spread).duration);
    return busy(step + seconds_of_keys(key_count, profile_.fast->range_label_ps));
}

KernelCost FastKernels::stable_step(RecordBytes record, std::uint64_t key_count, int bits) const {
    FastCosts const& costs = *profile_.fast;
    if (record.value == 0) {
        return busy(seconds_of_keys(
            key_count, record.key == 4 ? costs.stable_step32_ps : costs.stable_step64_ps));
    }
    double const moved = moved_bytes(record,
                                     static_cast<double>(key_count),
                                     static_cast<double>(stable_tile_keys(record, bits)),
                                     std::ldexp(1.0, std::max(bits, step_bits)));
    return busy(moved / bytes_per_second(costs.step_GBps));
}

KernelCost FastKernels::counting_sort(std::uint64_t key_count, std::uint64_t stretch_count) const {
    return busy(seconds_of_keys(key_count, profile_.fast->counting_ps) +
                static_cast<double>(stretch_count) * profile_.fast->counting_stretch_ns * 1e-9);
}

KernelCost FastKernels::count_stretches(std::uint64_t key_count, std::uint64_t tile_count) const {
    constexpr double part_of_threads = 0.5; ///< one block of 1,024 per multiprocessor
    double const bytes = static_cast<double>(key_count) * sizeof(std::uint32_t);
    return busy(bytes / (part_of_threads * bytes_per_second(profile_.fast->read_GBps)) +
                bytes / bytes_per_second(2.0 * profile_.local_copy_GBps) +
                static_cast<double>(tile_count) * profile_.fast->counting_stretch_ns * 1e-9);
}

KernelCost FastKernels::change_images(std::size_t key_bytes, std::uint64_t key_count) const {
    return copy(key_count * key_bytes);
}

KernelCost FastKernels::label(std::size_t key_bytes,
                              std::uint64_t key_count,
                              int bits,
                              double concentration) const {
    double const bytes = static_cast<double>(key_count) * static_cast<double>(key_bytes);
    double const walk_ps =
        profile_.fast->label_ps + bits * profile_.fast->walk_ps * (1.0 - concentration);
    return busy(bytes / bytes_per_second(profile_.fast->read_GBps) +
                seconds_of_keys(key_count, walk_ps));
}

KernelCost
FastKernels::leaf_bins(RecordBytes record, std::uint64_t key_count, Stability ties) const {
    constexpr double word_bytes = 8.0;
    double const bytes = static_cast<double>(key_count) * static_cast<double>(record.sum());
    double const ordered =
        ties == Stability::stable ? 1.0 + static_cast<double>(record.key) / word_bytes : 1.0;
    return busy(bytes / bytes_per_second(profile_.local_copy_GBps) +
                seconds_of_keys(key_count, ordered * profile_.fast->leaf_bin_ps));
}

KernelCost FastKernels::leaf_sort(RecordBytes record, std::uint64_t key_count) const {
    FastCosts const& costs = *profile_.fast;
    constexpr double wide = 8.0;
    double const key_ps = record.key == 4
                              ? costs.leaf32_ps
                              : costs.leaf64_ps * static_cast<double>(record.key) / wide;
    double const value_ps = costs.leaf_value_byte_ps * static_cast<double>(record.value);
    return busy(seconds_of_keys(key_count, key_ps + value_ps));
}

KernelCost FastKernels::direct_step(RecordBytes record, std::uint64_t key_count, int bits) const {
    constexpr double tile_keys = 2048.0;
    constexpr double table_moves = 4.0; // written; read and written by the sum; read
    auto const keys = static_cast<double>(key_count);
    double const ways = std::ldexp(1.0, bits);
    double const table = table_moves * sizeof(std::uint32_t) * ways / tile_keys;
    double const moved =
        2.0 * static_cast<double>(record.sum()) + line_bytes * ways / tile_keys + table;
    FastCosts const& costs = *profile_.fast;
    return busy(keys * static_cast<double>(record.key) / bytes_per_second(costs.read_GBps) +
                keys * moved / bytes_per_second(costs.step_GBps) +
                seconds_of_keys(key_count, 2.0 * bits * costs.walk_ps));
}

KernelCost
FastKernels::quicksort(RecordBytes record, std::uint64_t key_count, std::uint64_t leaf_keys) const {
    constexpr double network_keys = 2048.0;
    constexpr double threads = 256.0;
    constexpr double halving = 12.0 / 7.0 * std::numbers::ln2; // medians of three are inexact
    constexpr double padding = 2.0 * std::numbers::ln2;        // for sizes between powers of two
    FastCosts const& costs = *profile_.fast;
    auto const keys = static_cast<double>(key_count);
    auto const leaf = static_cast<double>(leaf_keys);
    // Final segments have half to all of the network's keys: half a level more on average.
    double const halvings =
        leaf > network_keys ? halving * (std::log2(leaf / network_keys) + 0.5) : 0.0;
    double const width = std::ceil(std::log2(std::clamp(leaf, 2.0, network_keys)));
    double const stages = width * (width + 1.0) / 2.0;
    double const rounds = 2.0 * halvings + padding * stages / 2.0;
    double const largest = std::min(keys, leaf * largest_leaf(record.key));
    double const alone = largest / threads * rounds * costs.quicksort_round_ns * 1e-9;
    auto const key_words = static_cast<double>(record.key) / sizeof(std::uint32_t);
    double const words = key_words + (record.value > 0 ? 1.0 : 0.0); // index of the key's value
    return busy(
        std::max(alone, seconds_of_keys(key_count, rounds * words * costs.quicksort_word_ps)));
}

KernelCost FastKernels::copy(std::uint64_t size_bytes) const {
    return busy(static_cast<double>(size_bytes) / bytes_per_second(profile_.local_copy_GBps));
}

KernelCost FastKernels::fill(std::uint64_t size_bytes) const {
    return copy(size_bytes / 2);
}

} // namespace keyswap::simulator
