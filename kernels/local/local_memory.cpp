#include "kernels/local/local_memory.hpp"

#include "kernels/multisplit/split_kernels.hpp"
#include "kernels/primitives/direct_step.hpp"
#include "kernels/primitives/quicksort_leaves.hpp"
#include "kernels/primitives/stretch_counts.hpp"
#include "kernels/runtime/sorter_options.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

/// Whatever the capacity: room for the buckets that passes across GPUs leave on one.
constexpr std::uint64_t segments_least = 256;
static_assert(segments_least >= spanning_bucket_count_max);

LocalSizes sizes_of(LocalRule rule, SortOptions const& options, std::uint64_t capacity) {
    ElementShape const shape = element_shape(options);
    LocalSizes sizes;
    sizes.rule = rule;
    bool const is_published = rule == LocalRule::splitters_published;
    std::uint64_t const leaf =
        is_published
            ? quicksort_leaf_sizes.back()
            : limited(leaf_sizes(shape.key_bytes, shape.value_bytes), options.tuning.leaf_max)
                  .back();
    sizes.large = static_cast<std::size_t>(capacity / leaf) + 1;
    std::size_t const gpus = options.devices.size();
    sizes.segments = static_cast<std::size_t>(
        has_digits(rule)
            ? std::clamp<std::uint64_t>(
                  sizes.large, gpus > 1 ? segments_least : 1, digit_segments_max)
            : std::clamp<std::uint64_t>(sizes.large, segments_least, launch_segments_max));
    if (!is_published && gpus > 1) {
        // A part's last tile has labels for keys that it has not.
        sizes.arrived =
            has_digits(rule) ? sizes.segments * gpus : std::max<std::size_t>(segments_least, gpus);
    }
    if (has_digits(rule) && shape == ElementShape{4, 0}) {
        sizes.stretches = std::min<std::size_t>(
            static_cast<std::size_t>(capacity / narrow_stretch_keys) + 1, launch_stretches_max);
    }
    std::uint32_t const tile =
        options.ties() == Stability::stable
            ? std::min(label_tile_keys(shape), tile_keys(shape, wide_step_bits))
            : label_tile_keys(shape);
    sizes.tiles = static_cast<std::size_t>(capacity / tile) +
                  std::max({sizes.segments, sizes.large, sizes.arrived});
    if (is_published) {
        sizes.direct_tiles = static_cast<std::size_t>(capacity / direct_tile_keys) + sizes.segments;
    }
    return sizes;
}

std::size_t table_bytes(LocalSizes const& sizes) {
    return sizes.direct_tiles == 0 ? 0 : table_scan_bytes(direct_table_entries(sizes.direct_tiles));
}

} // namespace

SortScratch local_scratch(LocalRule rule, SortOptions const& options, std::uint64_t capacity) {
    LocalSizes const sizes = sizes_of(rule, options, capacity);
    auto const key_bytes = static_cast<std::size_t>(element_shape(options).key_bytes);
    std::size_t const child_bytes = (has_digits(rule) ? 2 * sizeof(std::uint32_t) : 0) +
                                    2 * sizeof(std::uint64_t) + sizeof(std::uint8_t) +
                                    (leaf_classes + 1) * sizeof(std::uint32_t);
    std::size_t const tree_bytes = has_splitters(rule) ? tree_words * key_bytes : 0;
    std::size_t const label_bytes =
        has_splitters(rule) ? label_tile_keys(element_shape(options)) : 0;
    bool const is_stable = has_digits(rule) && options.ties() == Stability::stable;
    return {is_stable ? (sizes.tiles << wide_step_bits) * sizeof(std::uint32_t) : 0,
            sizes.parts() * sizeof(SegmentPart) +
                std::max(sizes.tiles, sizes.direct_tiles) * sizeof(SortTile) +
                sizes.tiles * label_bytes + table_bytes(sizes) +
                sizes.segments * (sizeof(SplitSegment) + tree_bytes) +
                sizes.stretches * (stretch_values + 1) * sizeof(std::uint32_t) +
                sizes.children() * child_bytes + sizeof(ChildKinds)};
}

std::unique_ptr<LocalMemory>
make_local_memory(LocalRule rule, SortOptions const& options, GpuId gpu, std::uint64_t capacity) {
    int const device = options.devices[gpu.value];
    auto const key_bytes = static_cast<std::size_t>(element_shape(options).key_bytes);
    auto memory = std::make_unique<LocalMemory>();
    LocalSizes const sizes = sizes_of(rule, options, capacity);
    memory->sizes = sizes;
    if (has_digits(rule)) {
        memory->bins = DeviceBuffer<std::uint32_t>{device, sizes.children()};
        memory->taken = DeviceBuffer<std::uint32_t>{device, sizes.children()};
        memory->crowding = PinnedBuffer<std::uint32_t>{1};
    }
    if (has_splitters(rule)) {
        memory->labels = DeviceBuffer<std::uint8_t>{
            device, sizes.tiles * label_tile_keys(element_shape(options))};
        memory->trees = DeviceBuffer<std::byte>{device, sizes.segments * tree_words * key_bytes};
        memory->host_trees =
            PinnedBuffer<std::byte>{options.devices.size() * tree_words * key_bytes};
    }
    static_cast<PartMemory&>(*memory) =
        make_part_memory(device, sizes.parts(), std::max(sizes.tiles, sizes.direct_tiles));
    memory->direct_table = DeviceBuffer<std::byte>{device, table_bytes(sizes)};
    memory->stretch_counts = DeviceBuffer<std::uint32_t>{device, sizes.stretches * stretch_values};
    memory->stretch_high = DeviceBuffer<std::uint32_t>{device, sizes.stretches};
    static_cast<ChildMemory&>(*memory) = make_child_memory(device, sizes.children(), sizes.large);
    memory->segments = DeviceBuffer<SplitSegment>{device, sizes.segments};
    memory->host_segments = PinnedBuffer<SplitSegment>{sizes.segments};
    for (std::size_t i = 0; i < memory->side.streams.size(); ++i) {
        memory->side.streams[i] = Stream{device};
        memory->side.ends[i] = Event{device, EventTiming::off};
    }
    memory->side.begin = Event{device, EventTiming::off};
    memory->batch_known = Event{device, EventTiming::off};
    if (rule == LocalRule::splitters && options.devices.size() > 1) {
        memory->rounds = make_round_streams(device, options.devices.size());
    }
    return memory;
}

void LocalMemory::drain() const {
    for (Stream const& stream : side.streams) {
        static_cast<void>(cudaStreamSynchronize(stream.get()));
    }
    rounds.drain();
}

LocalMemory const& local_memory(GpuState const& gpu) {
    return static_cast<LocalMemory const&>(*gpu.resources->own);
}

} // namespace keyswap::kernels
