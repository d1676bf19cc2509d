#pragma once

/// \file GPU memory that variant `fast` keeps between calls.

#include "kernels/local/local_memory.hpp"
#include "kernels/primitives/steps/segmented_sort.hpp"
#include "kernels/runtime/round_streams.hpp"
#include "kernels/runtime/sort_driver.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace keyswap::kernels {

/// Sample size of a digit tree in keys; the host sorts them in 0.15 ms.
inline constexpr std::size_t fast_sample_size = 4096;
inline constexpr std::size_t fine_counts_max = std::size_t{digit_nodes_max} << step_bits;

/// Look-back words use the sort's temporary memory; PartMemory::tiles are of keys ordered by
/// bucket.
struct FastMemory final : SortMemory, PartMemory {
    RoundStreams rounds;
    DeviceBuffer<SortTile> arrival_tiles; ///< of keys in order of arrival
    DeviceBuffer<std::uint32_t> bins;
    DeviceBuffer<std::uint32_t> scatter_bins; ///< [refined buckets][digits], at least 256
    PinnedBuffer<std::uint32_t> host_scatter_bins;
    // For scatters by image ranges; empty unless buckets are sorted by levels.
    DeviceBuffer<RangeLabels> labels; ///< [1]
    PinnedBuffer<RangeLabels> host_labels;
    // Additional counts, by half digits or a digit tree; empty unless buckets are sorted by levels.
    // Each row has fine_counts_max entries.
    DeviceBuffer<std::uint64_t> fine_counts;
    DeviceBuffer<std::uint64_t> all_fine_counts;  ///< [g] rows; for ranks
    PinnedBuffer<std::uint64_t> host_fine_counts; ///< [g] rows; used on this process's first GPU
    /// [g + 1][leading_words] counts by leading bits: each GPU's, then their sum. Empty unless
    /// buckets are sorted by levels, and for many GPUs.
    DeviceBuffer<std::uint32_t> leading;
    DeviceBuffer<std::uint8_t> children; ///< of the digit tree
    PinnedBuffer<std::uint8_t> host_children;
    PinnedBuffer<std::byte> sample;       ///< [fast_sample_size] keys, on this process's first GPU
    PinnedBuffer<std::uint32_t> crowding; ///< [1]; see launch_crowding_sample
    std::unique_ptr<LocalMemory> local;   ///< null unless buckets are sorted by levels
    DigitRow row;                         ///< the row for these levels

    void drain() const override;
};

/// \pre the options choose RMG sort
[[nodiscard]] bool is_rmg_fast(SortOptions const& options);

/// True if a sort with these options can use the variant for chunks of this capacity.
[[nodiscard]] bool uses_fast(SortOptions const& options, std::uint64_t capacity);

/// \pre uses_fast(options, capacity)
[[nodiscard]] SortScratch fast_scratch(SortOptions const& options, std::uint64_t capacity);
[[nodiscard]] std::unique_ptr<SortMemory>
make_fast_memory(SortOptions const& options, GpuId gpu, std::uint64_t capacity);

/// \pre the GPU's sorter was created with make_fast_memory
[[nodiscard]] FastMemory const& fast_memory(GpuState const& gpu);

/// A GPU's memory for the counts of another GPU's keys by leading bits.
/// \param row of that GPU; the number of GPUs for the sum
/// \pre `leading` of its fast_memory() is not empty
[[nodiscard]] LeadingCounts
leading_counts_of(RunContext const& context, GpuState const& gpu, std::uint32_t row);

/// True if buckets are sorted by levels, as a single GPU would sort a chunk's keys; the result is
/// the same on all GPUs. \pre the GPUs have fast_memory()
[[nodiscard]] bool use_levels(RunContext const& context, GpuState const& gpu);
[[nodiscard]] bool use_levels(RunContext const& context, std::vector<GpuState> const& gpus);
/// True if the scatter may distinguish more than the buckets of one pass. A stable scatter
/// distinguishes one digit only. \pre the GPUs have fast_memory()
[[nodiscard]] bool use_pieces(RunContext const& context, std::vector<GpuState> const& gpus);

} // namespace keyswap::kernels
