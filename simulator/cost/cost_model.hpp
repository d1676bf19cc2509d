#pragma once

/// \file Durations of kernels that run alone, as closed forms in the constants of a device profile.
/// The engine adds the effects of sharing.

#include "simulator/cost/device_profile.hpp"
#include "simulator/engine/task_graph.hpp"
#include "simulator/platform/sim_time.hpp"

#include <cstdint>

namespace keyswap::simulator {

/// Distribution of digits among the keys of one thread block. Source: RMG paper, section 4.2: a
/// block moves its keys into shared memory with one atomic each, then warps write the keys of each
/// bucket in rows of 32.
struct BlockSpread {
    double concentration = 0.0;  ///< sum of squared shares of the digits: 1 = a single digit
    double digits_present = 0.0; ///< expected number of digits with at least one key in the block
    double fullest = 0.0;        ///< share of the most frequent digit; 0: unknown
};

/// Keys per thread block of the published partitioning kernels: 1,024 threads with 12 keys of 32
/// bits or 6 of 64 each. Source: RMG paper, section 4.2.
[[nodiscard]] std::uint64_t partition_block_keys(std::size_t key_bytes);

/// Widths of a key and its value, in bytes.
struct RecordBytes {
    std::size_t key = 4;
    std::size_t value = 0;
    [[nodiscard]] std::size_t sum() const { return key + value; }
};

/// Duration of a kernel that runs alone on its GPU, and the bytes it moves through HBM.
struct KernelCost {
    SimTime duration;
    std::uint64_t hbm_bytes = 0;
    double cold_slowdown = 1.0; ///< factor on the duration at the GPU's low clocks

    /// Adds the time and bytes of the next kernel.
    KernelCost& operator+=(KernelCost const& next) {
        duration += next.duration;
        hbm_bytes += next.hbm_bytes;
        return *this;
    }
};

/// launch + keys * histogram; values are not read. Skewed keys take no longer (RMG paper, section
/// 4.1).
[[nodiscard]] KernelCost
histogram_cost(DeviceProfile const& profile, std::size_t key_bytes, std::uint64_t key_count);

/// launch + keys * (row * (1 + digits / (2 * rows)) + conflict * concentration): a block writes
/// `rows` = block keys / 32 full rows, and each digit present wastes half a row on average. The
/// second term is the serialization of atomics on one counter: two keys of a warp collide with a
/// probability equal to the concentration; the more do, the more the clock limits the kernel. With
/// values, all is multiplied by record bytes / key bytes.
[[nodiscard]] KernelCost scatter_cost(DeviceProfile const& profile,
                                      RecordBytes record,
                                      std::uint64_t key_count,
                                      BlockSpread const& spread);

/// Number of passes of the library's radix sort on `bits` bits.
[[nodiscard]] int sort_passes(DeviceProfile const& profile, int bits);

/// keys * (base + passes * pass) without launches; {} for 0 passes. A pass waits for the ranks of
/// its keys, so values add the time of a copy within the GPU: on an H200, 5e8 pairs of u32 sort in
/// 13.7 ms, 3.7 longer than keys alone; copying the values takes 0.95 per pass.
[[nodiscard]] KernelCost sort_cost_of_passes(DeviceProfile const& profile,
                                             RecordBytes record,
                                             std::uint64_t key_count,
                                             int passes);

/// max(launch, sort_cost_of_passes()); {} if there is nothing to sort.
[[nodiscard]] KernelCost
sort_cost(DeviceProfile const& profile, RecordBytes record, std::uint64_t key_count, int bits);

/// A sort of a whole chunk: sort_cost() plus a launch for each pass, since no concurrent sorts of
/// other groups hide the launches, and less conflict * concentration for each key. A pass orders
/// the keys of a block by digit in shared memory; keys of one digit are adjacent there, so that
/// a warp writes them to different banks, but keys of many digits meet in some banks.
/// \param concentration probability that two keys of a block share a digit, summed over the passes
[[nodiscard]] KernelCost whole_sort_cost(DeviceProfile const& profile,
                                         RecordBytes record,
                                         std::uint64_t key_count,
                                         int bits,
                                         double concentration = 0.0);

/// `key_count` keys at `ps` picoseconds each, in seconds.
[[nodiscard]] double seconds_of_keys(std::uint64_t key_count, double ps);

/// max(launch, keys * merge): a two-way merge with `key_count` keys of output. With values, merge
/// is multiplied by record bytes / key bytes.
[[nodiscard]] KernelCost
merge_cost(DeviceProfile const& profile, RecordBytes record, std::uint64_t key_count);

} // namespace keyswap::simulator
