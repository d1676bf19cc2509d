#pragma once

/// \file Kernels of the partitioning phase (RMG paper, section 4): histogram, placement, images and
/// digests. A word is a key's order-preserving image of 4 or 8 bytes (16 where stated); all
/// pointers are to device memory unless stated otherwise.

#include "kernels/device/key_image.hpp"
#include "kernels/primitives/partition/placement_rule.hpp"
#include "kernels/primitives/steps/digit_nodes.hpp"
#include "traces/records/sequence_digest.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Most GPUs of a sort; every border between GPUs may be inside a bucket to refine.
inline constexpr std::uint32_t gpu_count_max = 64;
inline constexpr std::uint32_t spanning_bucket_count_max = gpu_count_max;
/// A block counts in shared memory: 2^12 counters of 4 B are 16 KiB of its 48 KiB.
inline constexpr int digit_bits_max = 12;
/// Bytes that one block of the histogram reads per round: 512 threads x 4 loads of 16 B.
inline constexpr std::size_t histogram_tile_bytes = 512 * 4 * 16;

/// One part per bucket that a pass refines; can be a kernel argument.
struct PartList {
    KeyRange part[spanning_bucket_count_max] = {};
    std::uint32_t count = 0;
};

/// The bits of a key that a pass reads.
struct DigitWindow {
    int shift = 0;
    int bits = 8;
    ImageCode encode{}; ///< code of the raw keys in memory; identity: they are images
    [[nodiscard]] std::uint32_t digit_count() const { return 1U << bits; }
};

/// Treatment of counters at the start of a launch.
enum class CountsBefore {
    cleared, ///< set to zero first
    kept     ///< counts are added to those of earlier launches
};

/// Counts each part's keys by digit.
/// \param key_bytes 4 or 8
/// \param counts [parts.count][digit_count]
void launch_histogram(cudaStream_t stream,
                      int key_bytes,
                      void const* keys,
                      PartList const& parts,
                      DigitWindow window,
                      std::uint64_t* counts,
                      CountsBefore before = CountsBefore::cleared);

/// Images of the buckets that a pass refines, ascending; can be a kernel argument.
struct CountedRanges {
    std::uint64_t lowest[spanning_bucket_count_max] = {};
    std::uint64_t highest[spanning_bucket_count_max] = {};
    std::uint32_t count = 0; ///< at least 1
};

/// Counts, for each range, the keys inside it by digit, wherever they are in the array.
/// \param key_bytes 4 or 8 \param keys [count]; their images are compared with the ranges
/// \param window of at most 8 bits
/// \param counts [ranges.count][digit_count], overwritten
void launch_range_histogram(cudaStream_t stream,
                            int key_bytes,
                            void const* keys,
                            std::uint64_t count,
                            CountedRanges const& ranges,
                            DigitWindow window,
                            std::uint64_t* counts);

/// Counts keys by child of every node in one read: a key inside nested nodes counts in each of
/// them.
/// \param key_bytes 4 or 8 \param keys raw keys of code `encode`; only those in `range` are counted
/// \param counts [nodes.count][2^digit_bits]
void launch_tree_histogram(cudaStream_t stream,
                           int key_bytes,
                           void const* keys,
                           KeyRange const& range,
                           CountedNodes const& nodes,
                           ImageCode encode,
                           std::uint64_t* counts,
                           CountsBefore before = CountsBefore::cleared);

/// Adds adjacent counts: counts of half digits become counts of digits.
/// \param halves [2 * count] \param counts [count], overwritten
void launch_fold(cudaStream_t stream,
                 std::uint64_t const* halves,
                 std::uint32_t count,
                 std::uint64_t* counts);

/// A bucket's range in sorted order and its GPUs; begin = end if it is empty.
struct PlacementDecision {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    GpuRange gpus;
};

/// First index of each refined bucket in sorted order; can be a kernel argument.
struct BucketStarts {
    std::uint64_t begin[spanning_bucket_count_max] = {};
    std::uint32_t count = 0;
};

/// Decides the placement of all sub-buckets of a pass from the exchanged histograms.
/// \param table [gpu_count][starts.count][digit_count] counts
/// \param decisions [starts.count][digit_count]; may be pinned host memory
void launch_placement(cudaStream_t stream,
                      PlacementRule rule,
                      BucketStarts const& starts,
                      std::uint32_t digit_count,
                      std::uint64_t const* table,
                      PlacementDecision* decisions);

enum class ImageChange { encode, decode };

/// Encodes keys to images or decodes images to keys, in place; no effect for the identity.
/// \param key_bytes 4, 8 or 16
void launch_image_change(cudaStream_t stream,
                         int key_bytes,
                         void* keys,
                         std::uint64_t count,
                         ImageCode code,
                         ImageChange change);

/// Keys and values to digest as defined in traces/records/digest.hpp.
struct DigestedElements {
    int key_bytes = 4;
    void const* keys = nullptr;
    int value_bytes = 0; ///< 0, 4 or 8; values is ignored for 0
    void const* values = nullptr;
    ImageCode code{}; ///< code of the raw keys in memory; identity: they are images
};

/// Digests of ranges; 16-byte keys are supported.
/// \param ranges [range_count]
/// \param digests [range_count], overwritten
void launch_digests(cudaStream_t stream,
                    DigestedElements const& elements,
                    KeyRange const* ranges,
                    std::uint32_t range_count,
                    MultisetDigest* digests);

/// A range of elements of adjacent buckets, in any order.
struct BucketStretch {
    KeyRange range;
    std::uint32_t first_bucket = 0;
    std::uint32_t bucket_count = 1;
};
struct BucketDigests {
    BucketStretch const* stretches = nullptr; ///< [stretch_count]
    std::uint32_t stretch_count = 0;
    WideImage const* lowest = nullptr; ///< [bucket_count]: lowest image of each bucket
    std::uint32_t bucket_count = 0;
};
/// Digests of the buckets of stretches. Elements below a stretch's first bucket are added to that
/// bucket, so that none is lost. \param digests [bucket_count], overwritten
void launch_bucket_digests(cudaStream_t stream,
                           DigestedElements const& elements,
                           BucketDigests const& buckets,
                           MultisetDigest* digests);

/// Order-sensitive digest of the first `count` elements (traces/records/sequence_digest.hpp).
/// \param digest [1], overwritten
void launch_sequence_digest(cudaStream_t stream,
                            DigestedElements const& elements,
                            std::uint64_t count,
                            SequenceDigest* digest);

} // namespace keyswap::kernels
