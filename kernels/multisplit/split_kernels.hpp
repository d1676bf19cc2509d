#pragma once

/// \file Launchers of the multisplit kernels (Ashkiani et al.: GPU Multisplit, TOPC 2017), one per
/// method. All pointers are to memory of the current device. Arrays have fewer than 2^32 elements.

#include "kernels/multisplit.hpp"
#include "kernels/multisplit/device_rule.hpp"
#include "kernels/primitives/out_of_place_arrays.hpp"
#include "kernels/primitives/radix_sort/radix_sort.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// The inputs [begin, begin + count). Outputs are not sliced: positions are global.
[[nodiscard]] inline OutOfPlaceArrays
slice_of(OutOfPlaceArrays const& arrays, std::uint64_t begin, std::uint64_t count) {
    OutOfPlaceArrays part = arrays;
    part.keys_in = static_cast<unsigned char const*>(arrays.keys_in) +
                   begin * static_cast<std::uint64_t>(arrays.shape.key_bytes);
    if (arrays.shape.value_bytes != 0) {
        part.values_in = static_cast<unsigned char const*>(arrays.values_in) +
                         begin * static_cast<std::uint64_t>(arrays.shape.value_bytes);
    }
    part.count = count;
    return part;
}

/// Bucket starts and positions have 32 bits.
inline constexpr std::uint64_t split_count_max = 0xffffffffU;
/// Labels have one byte.
inline constexpr std::uint32_t fused_buckets_max = 256;
/// An unstable step has one thread per bucket and 512 threads per block.
inline constexpr std::uint32_t atomic_buckets_max = 512;
inline constexpr std::uint32_t block_buckets_max = 256;
/// A tile's bucket begins are in shared memory: 2^12 words of 4 B are 16 KiB, next to the tile's 20
/// KiB.
inline constexpr std::uint32_t bit_split_buckets_max = 4096;
/// Counters of a histogram in shared memory: 2^13 of 4 B are 32 KiB, plus one at each end.
inline constexpr std::uint32_t counted_buckets_max = 8192 + 2;

/// Keys counted by bucket in one launch.
/// \pre rule.buckets <= counted_buckets_max, and <= 256 with labels; count < 2^32
struct BucketCounts {
    void const* keys = nullptr; ///< [count]
    std::uint64_t count = 0;
    DeviceRule rule{};
    std::uint8_t* labels = nullptr;  ///< [count], 16-byte aligned; null: not written
    int outside = 0;                 ///< buckets at each end that are not counted
    std::uint64_t* counts = nullptr; ///< [rule.buckets - 2 * outside], incremented
};

void launch_bucket_counts(cudaStream_t stream, int key_bytes, BucketCounts const& launch);

/// Counts keys by all digits of their images in one read: `steps` digits of `digit_bits` bits from
/// the lowest on; the last digit may be narrower.
/// \param counts [steps][2^digit_bits], overwritten
/// \pre steps * 2^digit_bits <= digit_counters_max; count < 2^32
void launch_digit_counts(cudaStream_t stream,
                         int key_bytes,
                         void const* keys,
                         std::uint64_t count,
                         ImageCode code,
                         int digit_bits,
                         int steps,
                         std::uint64_t* counts);
/// 8 digits of 8 bits: 8 KiB of a block's shared memory.
inline constexpr std::uint32_t digit_counters_max = 2048;

/// Computes the output positions of slices from their counts.
/// \param counts [slices][buckets] keys
/// \param positions [slices][buckets]: first position of the slice's keys of the bucket
/// \param starts [buckets]: first position of each bucket
void launch_bucket_starts(cudaStream_t stream,
                          std::uint64_t const* counts,
                          std::uint32_t slices,
                          std::uint32_t buckets,
                          std::uint32_t* positions,
                          std::uint64_t* starts);

/// Most keys that a single block orders by bucket: eight per thread.
inline constexpr std::uint64_t single_tile_keys_max = 8192;

/// Splits few keys by any rule in one launch of a single block, without scratch memory: each of
/// several launches would take longer than its work. Stable.
/// \param starts [rule.buckets]
/// \pre 0 < arrays.count <= single_tile_keys_max; at most 256 buckets
void launch_single_tile_split(cudaStream_t stream,
                              OutOfPlaceArrays const& arrays,
                              DeviceRule const& rule,
                              std::uint64_t* starts);

/// Method `fused`: one pass with decoupled look-back (Adinets, Merrill: Onesweep, 2022) around
/// CUB's block ranking by matching, which corresponds to the paper's ballots. Stable.
/// \param labels [count] bytes, or null to evaluate a cheap rule again
/// \param positions [buckets] of the slice, from launch_bucket_starts
/// \param scratch [fused_scratch_bytes(...)]
/// \pre arrays.count < 2^30, as look-back words hold 30 bits
void launch_fused_split(cudaStream_t stream,
                        OutOfPlaceArrays const& arrays,
                        DeviceRule const& rule,
                        std::uint8_t const* labels,
                        std::uint32_t const* positions,
                        void* scratch);
[[nodiscard]] std::size_t fused_scratch_bytes(ElementShape shape, std::uint64_t count);

/// Method `atomic`: ranks a tile by shared-memory atomics and reserves output by one atomic per
/// bucket and tile. Keys only; not stable.
/// \param positions [buckets]; overwritten
void launch_atomic_split(cudaStream_t stream,
                         OutOfPlaceArrays const& arrays,
                         DeviceRule const& rule,
                         std::uint8_t const* labels,
                         std::uint32_t* positions);

/// Method `split1`: two buckets; look-back words hold a 64-bit count of one bucket. Stable.
/// \param positions [2]
void launch_two_way_split(cudaStream_t stream,
                          OutOfPlaceArrays const& arrays,
                          DeviceRule const& rule,
                          std::uint32_t const* positions,
                          void* scratch);
[[nodiscard]] std::size_t two_way_scratch_bytes(std::uint64_t count);

/// The paper's methods `direct`, `warp` and `block`: pre-scan counts every subproblem into the
/// table, one exclusive scan covers the bucket-major table, post-scan writes. Stable. Keys of a
/// subproblem (a column of the table); n' in the paper.
[[nodiscard]] std::uint32_t paper_tile_keys(MultisplitMethod method);
[[nodiscard]] std::size_t
paper_scratch_bytes(MultisplitMethod method, std::uint64_t count, std::uint32_t buckets);
/// \param starts [buckets]
/// \param scratch on return begins with the scanned table, [buckets][subproblems]
void launch_paper_split(cudaStream_t stream,
                        MultisplitMethod method,
                        OutOfPlaceArrays const& arrays,
                        DeviceRule const& rule,
                        std::uint64_t* starts,
                        void* scratch,
                        std::size_t scratch_bytes);

/// Bytes of scratch memory for a table and CUB's temporary memory behind it.
[[nodiscard]] std::size_t table_scan_bytes(std::uint64_t entries);
/// Exclusive prefix sum over the table, in place.
/// \param scratch begins with the table: [entries] words
/// \param scratch_bytes table_scan_bytes(entries), or more
void launch_table_scan(cudaStream_t stream,
                       std::uint64_t entries,
                       void* scratch,
                       std::size_t scratch_bytes);
/// \param table [buckets][subproblems], scanned
/// \param starts [buckets]: first position of each bucket
void launch_table_starts(cudaStream_t stream,
                         std::uint32_t const* table,
                         std::uint64_t subproblems,
                         std::uint32_t buckets,
                         std::uint64_t* starts);

/// Method `bit-split`: counts per tile, a scan of their table (launch_table_scan), then tiles
/// sorted by a stable split per bit of the labels and written. Stable. Source: Satish et al., Intel
/// report 2010, section 3.1; the report's splits move keys, ours move labels with positions,
/// independent of the width of keys and values.
/// \param table [rule.buckets][tiles], bucket-major, overwritten
/// \pre rule.buckets <= bit_split_buckets_max
void launch_tile_counts(cudaStream_t stream,
                        OutOfPlaceArrays const& arrays,
                        DeviceRule const& rule,
                        std::uint32_t* table);
/// \param table from launch_tile_counts, scanned
/// \param times to run the splits; a second run restores the same order, so that its additional
/// time measures the splits
void launch_bit_split(cudaStream_t stream,
                      OutOfPlaceArrays const& arrays,
                      DeviceRule const& rule,
                      std::uint32_t const* table,
                      int times = 1);
/// Keys of a tile (a column of the table).
[[nodiscard]] std::uint32_t bit_split_tile_keys();
[[nodiscard]] std::size_t bit_split_scratch_bytes(std::uint64_t count, std::uint32_t buckets);

/// Method `reduced-bit`: computes labels, then CUB's radix sort of (label, element) by label bits.
/// \pre at most 2^16 buckets
[[nodiscard]] std::size_t reduced_bit_scratch_bytes(ElementShape shape, std::uint64_t count);
void launch_reduced_bit_split(cudaStream_t stream,
                              OutOfPlaceArrays const& arrays,
                              DeviceRule const& rule,
                              std::uint64_t* starts,
                              void* scratch,
                              std::size_t scratch_bytes);

/// Methods `scan-split` (two buckets) and `recursive-split` (ceil(log2 m) splits by the bits of the
/// label, lowest first): flags, one scan, two-sided compaction. Stable.
[[nodiscard]] std::size_t scan_split_scratch_bytes(std::uint64_t count);
void launch_scan_split(cudaStream_t stream,
                       OutOfPlaceArrays const& arrays,
                       DeviceRule const& rule,
                       std::uint64_t* starts,
                       void* scratch,
                       std::size_t scratch_bytes);

} // namespace keyswap::kernels
