#pragma once

/// \file Sizes for the division of segments and the sort of the rest. Plain C++; the simulator
/// includes them too.

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Look-back words have 30-bit counts, and offsets inside a segment have 32 bits.
inline constexpr std::uint64_t segment_count_max = (std::uint64_t{1} << 30) - 1;
/// Widest digit of an ordinary step; the last step may read fewer bits.
inline constexpr int step_bits = 8;
inline constexpr std::uint32_t step_bins = 1U << step_bits;
/// Widest digit of any step: leaves 15 of 24 bits for counting sort, and two steps divide 2^29
/// 64-bit keys into leaves.
inline constexpr int wide_step_bits = 9;
/// Bits read by a counting sort: 2^15 counters of 16 bits are 64 KiB of shared memory.
inline constexpr int counting_bits = 15;

/// Values of a stretch: 32-bit keys that agree in all bits above the lowest counting_bits.
inline constexpr std::uint32_t stretch_values = 1U << counting_bits;
/// Keys per counted tile: clearing and summing its counters takes a fifth of the time with the most
/// keys, about half of it with the fewest.
inline constexpr std::uint32_t stretch_tile_keys_min = 1U << 17;
inline constexpr std::uint32_t stretch_tile_keys_max = 1U << 19;
/// Most keys with 16-bit counts, which one block can all hold.
inline constexpr std::uint32_t narrow_stretch_keys = 0xffff;
/// Most keys that one block counts with 32-bit counters; this takes some 0.1 ms.
inline constexpr std::uint32_t middle_stretch_keys = std::uint32_t{1} << 18;
/// Keys written by a block of the fill.
inline constexpr std::uint32_t stretch_fill_keys = 8192;
/// Most stretches counted by one launch; their counters take 128 KiB each.
inline constexpr std::size_t launch_stretches_max = 128;

/// Most segments divided by one launch: their tables take some 10 KiB each, or 25 KiB for
/// digits.
inline constexpr std::uint64_t launch_segments_max = 4096;
inline constexpr std::uint64_t digit_segments_max = 1024;

/// Samples to estimate how crowded a range of keys is.
inline constexpr std::uint32_t crowding_samples = 4096;
/// Most keys in a stretch for counting by one block, which takes about 0.1 ms for them.
inline constexpr std::uint64_t counted_keys_max = std::uint64_t{1} << 19;
/// Leaves that a stretch may have where evenly distributed keys would have one. Eight leaves cost a
/// further level for a few of the keys.
inline constexpr std::uint64_t crowded_leaves = 8;
/// If one value of the first eight bits has more than this part of the keys, most keys need a level
/// more than evenly distributed ones.
inline constexpr std::uint64_t crowded_child_part = 32;

} // namespace keyswap::kernels
