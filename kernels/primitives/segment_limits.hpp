#pragma once

/// \file Sizes that decide how segments are divided and what is left of them is sorted. Plain C++;
/// the simulator reads them too.

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Look-back words keep a count in 30 bits, and offsets inside a segment are 32-bit.
inline constexpr std::uint64_t segment_count_max = (std::uint64_t{1} << 30) - 1;
/// A digit step reads 8 bits at most; its last one may read fewer.
inline constexpr int step_bits = 8;
inline constexpr std::uint32_t step_bins = 1U << step_bits;
/// A step may read a digit of 9 bits: counting sort then finds 15 of 24 left, and two steps divide
/// 2^29 keys of 64 bits into leaves.
inline constexpr int wide_step_bits = 9;
/// Bits that a counting sort reads: 2^15 counters of 16 bits are 64 KiB of shared memory.
inline constexpr int counting_bits = 15;

/// Values of a stretch: 32-bit keys that agree in all but those bits.
inline constexpr std::uint32_t stretch_values = 1U << counting_bits;
/// Keys of a tile that is counted: clearing and adding up its counters takes a fifth of the time.
inline constexpr std::uint32_t stretch_tile_keys = 1U << 19;
/// Keys whose counts fit 16 bits: a block keeps them all.
inline constexpr std::uint32_t narrow_stretch_keys = 0xffff;
/// Keys that one block still counts, into 32 bits: it takes some 0.1 ms for them.
inline constexpr std::uint32_t middle_stretch_keys = std::uint32_t{1} << 18;
/// Keys that a block writes.
inline constexpr std::uint32_t stretch_fill_keys = 8192;
/// Stretches that one launch counts at most, whose counters take 128 KiB each.
inline constexpr std::size_t launch_stretches_max = 128;

/// Segments that one launch divides at most: their tables take some 10 KiB each, those of
/// digits 25.
inline constexpr std::uint64_t launch_segments_max = 4096;
inline constexpr std::uint64_t digit_segments_max = 1024;

/// Samples that show how crowded a range of keys is.
inline constexpr std::uint32_t crowding_samples = 4096;
/// Most keys of what a block counts: it takes about 0.1 ms for them.
inline constexpr std::uint64_t counted_keys_max = std::uint64_t{1} << 19;
/// Leaves that a stretch may have which would be one if keys were spread evenly. Eight are one more
/// level for few of the keys.
inline constexpr std::uint64_t crowded_leaves = 8;

} // namespace keyswap::kernels
