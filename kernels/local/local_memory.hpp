#pragma once

/// \file What the sort of a GPU's own ranges keeps from call to call.

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

/// Streams in which classes of leaves are sorted beside the GPU's own. What they hold, that one
/// waits for before a batch ends.
struct SideStreams {
    std::array<Stream, 2> streams;
    Event begin;
    std::array<Event, 2> ends;
};

/// Look-back words of stable steps share the sort's temporary memory.
struct LocalMemory final : SortMemory, PartMemory, ChildMemory {
    void drain() const override;

    LocalSizes sizes;
    DeviceBuffer<std::uint8_t> labels;    ///< [tiles][keys of a tile]; of splitters, as are trees
    DeviceBuffer<std::uint32_t> bins;     ///< [children]; of digits
    DeviceBuffer<std::uint32_t> taken;    ///< [children]; of digits
    PinnedBuffer<std::uint32_t> crowding; ///< [1]; of digits: see launch_crowding_sample
    DeviceBuffer<std::byte> trees;        ///< [segments][tree_words] words of a key
    PinnedBuffer<std::byte> host_trees;   ///< of passes across GPUs: [g - 1][tree_words]
    DeviceBuffer<std::byte> direct_table; ///< of direct_tiles, and what its sum needs
    DeviceBuffer<std::uint32_t> stretch_counts; ///< [stretches][stretch_values]
    DeviceBuffer<std::uint32_t> stretch_high;   ///< [stretches]
    DeviceBuffer<SplitSegment> segments;
    PinnedBuffer<SplitSegment> host_segments;
    SideStreams side;
    Event batch_known;   ///< reused: the host has what it waits for of the queued batch
    RoundStreams rounds; ///< of splitters on several GPUs; empty else
    /// [passes][draws] images as wide as keys, of all passes, from all GPUs; on the first GPU only.
    PinnedBuffer<std::byte> sample;
};

/// The row by which a GPU may sort; nullopt if CUB is faster with any number of keys.
[[nodiscard]] std::optional<DigitRow> digit_row_of(SortOptions const& options);

[[nodiscard]] SortScratch
local_scratch(LocalRule rule, SortOptions const& options, std::uint64_t capacity);
[[nodiscard]] std::unique_ptr<LocalMemory>
make_local_memory(LocalRule rule, SortOptions const& options, GpuId gpu, std::uint64_t capacity);

/// \pre the GPU's sorter has it as all of its own memory
[[nodiscard]] LocalMemory const& local_memory(GpuState const& gpu);

} // namespace keyswap::kernels
