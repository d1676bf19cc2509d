#pragma once

/// \file What variant `fast` keeps on a GPU from call to call.

#include "kernels/local/local_memory.hpp"
#include "kernels/primitives/steps/segmented_sort.hpp"
#include "kernels/runtime/round_streams.hpp"
#include "kernels/runtime/sort_driver.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace keyswap::kernels {

/// Keys of the sample that a digit tree grows from; the host sorts them in 0.15 ms.
inline constexpr std::size_t fast_sample_size = 4096;
inline constexpr std::size_t fine_counts_max = std::size_t{digit_nodes_max} << step_bits;

/// Look-back words share the sort's temporary memory.
struct FastMemory final : SortMemory {
    RoundStreams rounds;
    DeviceBuffer<SegmentPart> parts;
    PinnedBuffer<SegmentPart> host_parts;
    DeviceBuffer<SortTile> arrival_tiles; ///< of keys as they came
    DeviceBuffer<SortTile> tiles;         ///< of keys in order of buckets
    DeviceBuffer<std::uint32_t> bins;
    DeviceBuffer<std::uint32_t> scatter_bins; ///< [refined buckets][digits], 256 at least
    PinnedBuffer<std::uint32_t> host_scatter_bins;
    // Of scatters by ranges of images; empty where buckets are not sorted by levels.
    DeviceBuffer<RangeLabels> labels; ///< [1]
    PinnedBuffer<RangeLabels> host_labels;
    // Counts of more than a pass asks for, by halves of digits or a digit tree; likewise. A row has
    // fine_counts_max.
    DeviceBuffer<std::uint64_t> fine_counts;
    DeviceBuffer<std::uint64_t> all_fine_counts;  ///< [g] rows, of ranks
    PinnedBuffer<std::uint64_t> host_fine_counts; ///< [g] rows, on this process's first GPU
    DeviceBuffer<std::uint8_t> children;          ///< of the digit tree
    PinnedBuffer<std::uint8_t> host_children;
    PinnedBuffer<std::byte> sample;       ///< [fast_sample_size] keys, on this process's first GPU
    PinnedBuffer<std::uint32_t> crowding; ///< [1]; see launch_crowding_sample
    std::unique_ptr<LocalMemory> local;   ///< null where buckets are not sorted by levels
    DigitRow row;                         ///< by which they are

    void drain() const override;
};

/// Whether a sort by these options can use the variant on chunks of this capacity.
[[nodiscard]] bool uses_fast(SortOptions const& options, std::uint64_t capacity);

/// \pre uses_fast(options, capacity)
[[nodiscard]] SortScratch fast_scratch(SortOptions const& options, std::uint64_t capacity);
[[nodiscard]] std::unique_ptr<SortMemory>
make_fast_memory(SortOptions const& options, GpuId gpu, std::uint64_t capacity);

/// \pre the GPU's sorter has it
[[nodiscard]] FastMemory const& fast_memory(GpuState const& gpu);

/// Whether buckets are sorted by levels: a GPU alone with a chunk's keys would be; the same of all
/// GPUs. \pre the GPUs' sorter has fast_memory()
[[nodiscard]] bool use_levels(RunContext const& context, GpuState const& gpu);
[[nodiscard]] bool use_levels(RunContext const& context, std::vector<GpuState> const& gpus);
/// Whether the scatter may divide keys further than the buckets of one pass. A
/// stable one reads a digit. \pre likewise
[[nodiscard]] bool use_pieces(RunContext const& context, std::vector<GpuState> const& gpus);

} // namespace keyswap::kernels
