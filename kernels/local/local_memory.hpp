#pragma once

/// \file Memory that the sort of a GPU's own ranges keeps between calls.

#include "kernels/device/stream.hpp"
#include "kernels/exchange_plan/local_sizes.hpp"
#include "kernels/local/segment_memory.hpp"
#include "kernels/runtime/round_streams.hpp"
#include "kernels/runtime/sort_driver.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace keyswap::kernels {

/// Streams for leaf classes that run in parallel with the GPU's own stream, which waits for them
/// before a batch ends.
struct SideStreams {
    std::array<Stream, 2> streams;
    Event begin;
    std::array<Event, 2> ends;
};

/// Look-back words of stable steps use the sort's temporary memory.
struct LocalMemory final : SortMemory, PartMemory, ChildMemory {
    void drain() const override;

    LocalSizes sizes;
    DeviceBuffer<std::uint8_t> labels;    ///< [tiles][keys per tile]; splitters only, as are trees
    DeviceBuffer<std::uint32_t> bins;     ///< [children]; digits only
    DeviceBuffer<std::uint32_t> taken;    ///< [children]; digits only
    DeviceBuffer<std::uint8_t> known;     ///< [segments]; digits only: see launch_segment_bins
    DeviceBuffer<std::uint32_t> leading;  ///< [leading_words]; digits on a single GPU only
    PinnedBuffer<std::uint32_t> crowding; ///< [1]; digits only: see launch_crowding_sample
    DeviceBuffer<std::byte> trees;        ///< [segments][tree_words] words of key size
    PinnedBuffer<std::byte> host_trees;   ///< for passes across GPUs: [g - 1][tree_words]
    DeviceBuffer<std::byte> direct_table; ///< for direct_tiles, and memory for their prefix sum
    DeviceBuffer<std::uint32_t> stretch_counts; ///< [stretches][stretch_values]
    DeviceBuffer<std::uint32_t> stretch_high;   ///< [stretches]
    DeviceBuffer<SplitSegment> segments;
    PinnedBuffer<SplitSegment> host_segments;
    SideStreams side;
    Event batch_known;   ///< reused: the host knows the sizes of the queued batch
    RoundStreams rounds; ///< for splitters on several GPUs; otherwise empty
    /// [passes][draws] images of key size, from all GPUs; on the first GPU only.
    PinnedBuffer<std::byte> sample;
};

/// The digit row for these options; nullopt if CUB is faster for any number of keys.
[[nodiscard]] std::optional<DigitRow> digit_row_of(SortOptions const& options);

[[nodiscard]] SortScratch
local_scratch(LocalRule rule, SortOptions const& options, std::uint64_t capacity);
[[nodiscard]] std::unique_ptr<LocalMemory>
make_local_memory(LocalRule rule, SortOptions const& options, GpuId gpu, std::uint64_t capacity);

/// \pre the LocalMemory is all of the sorter's own memory on this GPU
[[nodiscard]] LocalMemory const& local_memory(GpuState const& gpu);

} // namespace keyswap::kernels
