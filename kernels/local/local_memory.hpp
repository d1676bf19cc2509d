#pragma once

/// \file What the sort of a GPU's own ranges keeps from call to call.

#include "kernels/device/stream.hpp"
#include "kernels/local/digit_choice.hpp"
#include "kernels/local/segment_memory.hpp"
#include "kernels/runtime/round_streams.hpp"
#include "kernels/runtime/sort_driver.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace keyswap::kernels {

/// What divides segments.
enum class LocalRule {
    splitters,           ///< drawn from a segment's keys, so that skew costs nothing
    splitters_published, ///< the same, carried out as sample sort was published
    digits,              ///< from the highest bits on
    digits_or_splitters  ///< each sort takes one of them
};
[[nodiscard]] constexpr bool has_digits(LocalRule rule) {
    return rule == LocalRule::digits || rule == LocalRule::digits_or_splitters;
}
[[nodiscard]] constexpr bool has_splitters(LocalRule rule) {
    return rule != LocalRule::digits;
}

/// What the row's sorts need.
[[nodiscard]] constexpr LocalRule rule_of(DigitRow const& row) {
    return row.crowded == CrowdedSort::splitters ? LocalRule::digits_or_splitters
                                                 : LocalRule::digits;
}

/// Segments of one launch, tiles and large children that a GPU needs at most.
struct LocalSizes {
    LocalRule rule = LocalRule::splitters;
    std::size_t segments = 0;
    std::size_t tiles = 0;
    std::size_t direct_tiles = 0; ///< of steps as published; 0 of others
    std::size_t large = 0;        ///< children above a leaf's size
    /// Parts in which the segments of a launch may have come from several GPUs.
    std::size_t arrived = 0;
    std::size_t stretches = 0; ///< that a launch can count; 0 where values are not counted

    [[nodiscard]] std::size_t children_a_segment() const {
        return has_digits(rule) ? std::size_t{1} << wide_step_bits : tree_words;
    }
    /// Children of all segments of a launch.
    [[nodiscard]] std::size_t children() const { return segments * children_a_segment(); }
    // Parts that wait to be uploaded do not share their places: where segments go, ranges that are
    // copied, ranges that a block counts, and what has arrived or is counted by many blocks.
    [[nodiscard]] static std::size_t places_begin() { return 0; }
    [[nodiscard]] std::size_t copied_begin() const { return segments; }
    [[nodiscard]] std::size_t counted_begin() const { return copied_begin() + large; }
    [[nodiscard]] std::size_t arrived_begin() const {
        return counted_begin() + (stretches == 0 ? 0 : large);
    }
    [[nodiscard]] std::size_t parts() const {
        return arrived_begin() + std::max(arrived, stretches);
    }
};

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

[[nodiscard]] SortScratch
local_scratch(LocalRule rule, SortOptions const& options, std::uint64_t capacity);
[[nodiscard]] std::unique_ptr<LocalMemory>
make_local_memory(LocalRule rule, SortOptions const& options, GpuId gpu, std::uint64_t capacity);

/// \pre the GPU's sorter has it as all of its own memory
[[nodiscard]] LocalMemory const& local_memory(GpuState const& gpu);

} // namespace keyswap::kernels
