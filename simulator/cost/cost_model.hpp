#pragma once

/// \file Times of kernels from the constants of a device profile. Every function is a closed form;
/// the engine adds what sharing costs.

#include "simulator/cost/device_profile.hpp"
#include "simulator/engine/task_graph.hpp"
#include "simulator/platform/sim_time.hpp"

#include <cstdint>

namespace keyswap::simulator {

/// How the digits of one thread block's keys are spread. Source: RMG paper, section 4.2: a block
/// moves its keys into shared memory with one atomic each, then a warp at a time writes a bucket's
/// keys in rows of 32.
struct BlockSpread {
    double concentration = 0.0;  ///< sum of squared shares of the digits: 1 = all keys equal
    double digits_present = 0.0; ///< expected number of digits with at least one key in the block
    double fullest = 0.0;        ///< share of the fullest digit; 0: not known
};

/// Keys of a thread block of the published partitioning kernels: 1,024 threads with 12 keys of 32
/// bits or 6 of 64. Source: RMG paper, section 4.2.
[[nodiscard]] std::uint64_t partition_block_keys(std::size_t key_bytes);

/// Widths of what is sorted.
struct RecordBytes {
    std::size_t key = 4;
    std::size_t value = 0;
    [[nodiscard]] std::size_t sum() const { return key + value; }
};

/// What a kernel costs alone on its GPU, and how many bytes it moves through the GPU's memory.
struct KernelCost {
    SimTime duration;
    std::uint64_t hbm_bytes = 0;
    double cold_slowdown = 1.0; ///< at the GPU's low clocks it takes so many times as long
};

/// launch + keys * histogram; values are not read. Equally fast on skewed keys (RMG paper, section
/// 4.1).
[[nodiscard]] KernelCost
histogram_cost(DeviceProfile const& profile, std::size_t key_bytes, std::uint64_t key_count);

/// launch + keys * (row * (1 + digits / (2 * rows)) + conflict * concentration), where a block
/// writes `rows` = block keys / 32 full rows, and each digit present leaves half a row unused on
/// average. The second term is the serialization of atomics on one counter: two keys of a warp meet
/// with a probability equal to the concentration. The more they are, the more the kernel follows
/// the clock and not the memory. A value takes what its bytes are of the key's.
[[nodiscard]] KernelCost scatter_cost(DeviceProfile const& profile,
                                      RecordBytes record,
                                      std::uint64_t key_count,
                                      BlockSpread const& spread);

/// Passes of the library's sort by so many bits.
[[nodiscard]] int sort_passes(DeviceProfile const& profile, int bits);

/// keys * (base + passes * pass), without launches; nothing for no pass. A pass waits for the ranks
/// of its keys, so that values take as long as a copy within the GPU: 5e8 pairs of u32 sort in 13.7
/// ms on an H200, 3.7 longer than their keys, where a copy of the values takes 0.95 a pass.
[[nodiscard]] KernelCost sort_cost_of_passes(DeviceProfile const& profile,
                                             RecordBytes record,
                                             std::uint64_t key_count,
                                             int passes);

/// max(launch, cost of the passes).
[[nodiscard]] KernelCost
sort_cost(DeviceProfile const& profile, RecordBytes record, std::uint64_t key_count, int bits);

/// The sort of a whole chunk, one at a time: sort_cost and a launch for each of its passes, which
/// nothing hides as it does where many groups share the GPU.
[[nodiscard]] KernelCost whole_sort_cost(DeviceProfile const& profile,
                                         RecordBytes record,
                                         std::uint64_t key_count,
                                         int bits);

/// Seconds of so many keys at so many picoseconds each.
[[nodiscard]] double seconds_of_keys(std::uint64_t key_count, double ps);

/// max(launch, keys * merge): a two-way merge of `key_count` keys in total. A value takes what its
/// bytes are of the key's.
[[nodiscard]] KernelCost
merge_cost(DeviceProfile const& profile, RecordBytes record, std::uint64_t key_count);

} // namespace keyswap::simulator
