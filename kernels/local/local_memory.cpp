#include "kernels/local/local_memory.hpp"

#include "kernels/multisplit/split_kernels.hpp"
#include "kernels/primitives/leaves/quicksort_leaves.hpp"
#include "kernels/primitives/steps/direct_step.hpp"
#include "kernels/primitives/steps/leading_counts.hpp"
#include "kernels/primitives/steps/stretch_counts.hpp"
#include "kernels/runtime/sorter_options.hpp"

#include <algorithm>

namespace keyswap::kernels {

static_assert(sizeof(SegmentPart) == part_bytes && sizeof(SortTile) == tile_bytes &&
              sizeof(SplitSegment) == split_segment_bytes);

namespace {

static_assert(local_segments_least >= spanning_bucket_count_max);

LocalSpec spec_of(LocalRule rule, SortOptions const& options, std::uint64_t capacity) {
    return {rule,
            element_shape(options),
            options.ties(),
            options.devices.size(),
            capacity,
            options.tuning.leaf_max,
            options.tuning.leading_bytes_min};
}

/// The tile sizes of this build's kernels.
LocalTiles tiles_of(ElementShape shape) {
    return {label_tile_keys(shape), tile_keys(shape, wide_step_bits)};
}

std::size_t table_bytes(LocalSizes const& sizes) {
    return sizes.direct_tiles == 0 ? 0 : table_scan_bytes(direct_table_entries(sizes.direct_tiles));
}

} // namespace

std::optional<DigitRow> digit_row_of(SortOptions const& options) {
    return find_digit_row(element_shape(options), options.ties(), options.tuning.digits_min);
}

SortScratch local_scratch(LocalRule rule, SortOptions const& options, std::uint64_t capacity) {
    LocalSpec const spec = spec_of(rule, options, capacity);
    LocalTiles const tiles = tiles_of(spec.shape);
    LocalSizes const sizes = local_sizes(spec, tiles);
    SortScratch bytes = local_bytes(spec, sizes, tiles);
    bytes.own_bytes += table_bytes(sizes) + sizeof(ChildKinds);
    return bytes;
}

std::unique_ptr<LocalMemory>
make_local_memory(LocalRule rule, SortOptions const& options, GpuId gpu, std::uint64_t capacity) {
    int const device = options.devices[gpu.value];
    auto const key_bytes = static_cast<std::size_t>(element_shape(options).key_bytes);
    auto memory = std::make_unique<LocalMemory>();
    LocalSizes const sizes =
        local_sizes(spec_of(rule, options, capacity), tiles_of(element_shape(options)));
    memory->sizes = sizes;
    if (has_digits(rule)) {
        memory->bins = DeviceBuffer<std::uint32_t>{device, sizes.children()};
        memory->taken = DeviceBuffer<std::uint32_t>{device, sizes.children()};
        memory->known = DeviceBuffer<std::uint8_t>{device, sizes.segments};
        memory->crowding = PinnedBuffer<std::uint32_t>{1};
        if (sizes.leading > 0 && can_count_leading_bits(device, element_shape(options).key_bytes)) {
            memory->leading = DeviceBuffer<std::uint32_t>{device, sizes.leading};
        }
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
