#include "simulator/cost/cost_model.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cmath>

namespace keyswap::simulator {

namespace {

constexpr double seconds_per_ps = 1e-12;
constexpr double seconds_per_us = 1e-6;
constexpr double warp_keys = 32.0; ///< a row of the write-back: one key per thread of a warp
/// Concentration from which atomics, not memory, limit a scatter, so that it scales with the clock.
/// Low clocks slow published scatters of 15 digits (concentration 0.067) by 1.23, between 1.15 for
/// 256 digits and 1.27 for one.
constexpr double clock_bound_concentration = 0.1;

/// Record bytes divided by key bytes.
double key_widths(RecordBytes record) {
    return static_cast<double>(record.sum()) / static_cast<double>(record.key);
}

} // namespace

double seconds_of_keys(std::uint64_t key_count, double ps) {
    return static_cast<double>(key_count) * ps * seconds_per_ps;
}

std::uint64_t partition_block_keys(std::size_t key_bytes) {
    constexpr std::uint64_t block_bytes = 49'152; ///< 1,024 threads * 12 keys * 4 B
    return block_bytes / key_bytes;
}

KernelCost
histogram_cost(DeviceProfile const& profile, std::size_t key_bytes, std::uint64_t key_count) {
    if (key_count == 0) {
        return {};
    }
    return {from_seconds(profile.histogram_launch_us * seconds_per_us +
                         seconds_of_keys(key_count, profile.width(key_bytes).histogram_ps)),
            key_count * key_bytes,
            profile.cold_memory};
}

KernelCost scatter_cost(DeviceProfile const& profile,
                        RecordBytes record,
                        std::uint64_t key_count,
                        BlockSpread const& spread) {
    KEYSWAP_EXPECTS(spread.concentration >= 0.0 && spread.concentration <= 1.0 + 1e-9);
    if (key_count == 0) {
        return {};
    }
    KeyWidthCosts const costs = profile.width(record.key);
    double const full_rows = static_cast<double>(partition_block_keys(record.key)) / warp_keys;
    double const row_ps = costs.scatter_row_ps * (1.0 + spread.digits_present / (2.0 * full_rows));
    double const conflict_ps = costs.scatter_conflict_ps * spread.concentration;
    double const clock_bound = std::min(1.0, spread.concentration / clock_bound_concentration);
    return {from_seconds(profile.scatter_launch_us * seconds_per_us +
                         seconds_of_keys(key_count, (row_ps + conflict_ps) * key_widths(record))),
            2 * key_count * record.sum(),
            profile.cold_memory + clock_bound * (profile.cold_compute - profile.cold_memory)};
}

int sort_passes(DeviceProfile const& profile, int bits) {
    return static_cast<int>(std::ceil(std::max(bits, 0) / profile.sort_pass_bits));
}

KernelCost sort_cost_of_passes(DeviceProfile const& profile,
                               RecordBytes record,
                               std::uint64_t key_count,
                               int passes) {
    if (key_count == 0 || passes == 0) {
        return {};
    }
    KeyWidthCosts const costs = profile.width(record.key);
    double const value_ps = 1e3 * static_cast<double>(record.value) / profile.local_copy_GBps;
    double const pass_ps = costs.sort_pass_ps + value_ps;
    auto const moves = 2 * static_cast<std::uint64_t>(passes);
    return {from_seconds(seconds_of_keys(key_count, costs.sort_base_ps + passes * pass_ps)),
            key_count * (record.key + moves * record.sum()),
            profile.cold_compute};
}

KernelCost
sort_cost(DeviceProfile const& profile, RecordBytes record, std::uint64_t key_count, int bits) {
    KernelCost cost = sort_cost_of_passes(profile, record, key_count, sort_passes(profile, bits));
    if (cost.duration > SimTime{}) {
        cost.duration =
            std::max(cost.duration, from_seconds(profile.sort_launch_us * seconds_per_us));
    }
    return cost;
}

KernelCost whole_sort_cost(DeviceProfile const& profile,
                           RecordBytes record,
                           std::uint64_t key_count,
                           int bits,
                           double concentration) {
    KernelCost cost = sort_cost(profile, record, key_count, bits);
    double const conflict_ps =
        std::min(profile.sort_conflict_ps, profile.width(record.key).sort_pass_ps);
    double const spared = seconds_of_keys(key_count, conflict_ps * concentration);
    cost.duration = from_seconds(std::max(0.0, to_seconds(cost.duration) - spared));
    cost.duration +=
        from_seconds(sort_passes(profile, bits) * profile.sort_launch_us * seconds_per_us);
    return cost;
}

KernelCost merge_cost(DeviceProfile const& profile, RecordBytes record, std::uint64_t key_count) {
    if (key_count == 0) {
        return {};
    }
    double const merge_ps = profile.width(record.key).merge_ps * key_widths(record);
    return {from_seconds(std::max(profile.merge_launch_us * seconds_per_us,
                                  seconds_of_keys(key_count, merge_ps))),
            2 * key_count * record.sum(),
            profile.cold_compute};
}

} // namespace keyswap::simulator
