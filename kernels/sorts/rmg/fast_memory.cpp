#include "kernels/sorts/rmg/fast_memory.hpp"

#include "kernels/primitives/steps/leading_counts.hpp"
#include "kernels/runtime/sorter_options.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

/// Most tiles, parts, bins and look-back words of a GPU.
struct FastSizes {
    std::size_t tiles = 0;
    std::size_t parts = 0;
    std::size_t bins = 0;
    std::size_t lookback_bytes = 0;
};

FastSizes sizes_of(SortOptions const& options, std::uint64_t capacity) {
    KeyShape const keys = key_shape(options);
    auto const buckets = std::size_t{1} << keys.digit_bits;
    FastSizes sizes;
    // The chunk, each bucket's part from each source, and each bucket, over all rounds.
    sizes.parts = 1 + buckets * (options.devices.size() + 1);
    sizes.tiles =
        static_cast<std::size_t>(capacity / tile_keys(element_shape(options))) + sizes.parts;
    auto const steps = static_cast<std::size_t>((keys.bits_below(1) + step_bits - 1) / step_bits);
    sizes.bins = buckets * steps * step_bins;
    sizes.lookback_bytes = sizes.tiles * step_bins * sizeof(std::uint32_t);
    return sizes;
}

/// Words for counts by leading bits if buckets are sorted by levels.
std::size_t leading_table_words(SortOptions const& options, std::uint64_t capacity) {
    return exchanged_leading_words(options.devices.size(),
                                   capacity,
                                   element_shape(options).key_bytes,
                                   options.tuning.leading_bytes_min);
}

/// Device memory for counts and labels if buckets are sorted by levels, in bytes.
std::size_t level_tables_bytes(SortOptions const& options, std::uint64_t capacity) {
    std::size_t const rows = options.devices.size() + 1;
    return rows * fine_counts_max * sizeof(std::uint64_t) + fine_counts_max + sizeof(RangeLabels) +
           leading_table_words(options, capacity) * sizeof(std::uint32_t);
}

} // namespace

bool is_rmg_fast(SortOptions const& options) {
    return options.choice.variant->name == "fast";
}

bool uses_fast(SortOptions const& options, std::uint64_t capacity) {
    return is_rmg_fast(options) && options.devices.size() > 1 &&
           can_use_segments(key_shape(options).digit_bits, capacity);
}

SortScratch fast_scratch(SortOptions const& options, std::uint64_t capacity) {
    FastSizes const sizes = sizes_of(options, capacity);
    std::optional<DigitRow> const row = digit_row_of(options);
    SortScratch const local = row ? local_scratch(rule_of(*row), options, capacity) : SortScratch{};
    std::size_t const local_bytes =
        row ? local.own_bytes + level_tables_bytes(options, capacity) : 0;
    return {std::max(sizes.lookback_bytes, local.temp_bytes),
            sizes.parts * sizeof(SegmentPart) + 2 * sizes.tiles * sizeof(SortTile) +
                (sizes.bins + range_labels_max) * sizeof(std::uint32_t) + local_bytes};
}

std::unique_ptr<SortMemory>
make_fast_memory(SortOptions const& options, GpuId gpu, std::uint64_t capacity) {
    int const device = options.devices[gpu.value];
    FastSizes const sizes = sizes_of(options, capacity);
    auto fast = std::make_unique<FastMemory>();
    fast->rounds = make_round_streams(device, options.devices.size());
    static_cast<PartMemory&>(*fast) = make_part_memory(device, sizes.parts, sizes.tiles);
    fast->arrival_tiles = DeviceBuffer<SortTile>{device, sizes.tiles};
    fast->bins = DeviceBuffer<std::uint32_t>{device, sizes.bins};
    // A row of digits per refined bucket; kernels read at least 256 entries from its start.
    std::size_t const gpus = options.devices.size();
    std::size_t const scatter_bins =
        std::max<std::size_t>(((gpus - 1) << options.digit_bits) + step_bins, range_labels_max);
    fast->scatter_bins = DeviceBuffer<std::uint32_t>{device, scatter_bins};
    fast->host_scatter_bins = PinnedBuffer<std::uint32_t>{scatter_bins};
    fast->crowding = PinnedBuffer<std::uint32_t>{1};
    if (auto const row = digit_row_of(options)) {
        fast->local = make_local_memory(rule_of(*row), options, gpu, capacity);
        fast->row = *row;
        fast->labels = DeviceBuffer<RangeLabels>{device, 1};
        fast->host_labels = PinnedBuffer<RangeLabels>{1};
        fast->fine_counts = DeviceBuffer<std::uint64_t>{device, fine_counts_max};
        fast->all_fine_counts = DeviceBuffer<std::uint64_t>{device, gpus * fine_counts_max};
        fast->host_fine_counts = PinnedBuffer<std::uint64_t>{gpus * fine_counts_max};
        fast->leading = DeviceBuffer<std::uint32_t>{device, leading_table_words(options, capacity)};
        fast->children = DeviceBuffer<std::uint8_t>{device, fine_counts_max};
        fast->host_children = PinnedBuffer<std::uint8_t>{fine_counts_max};
        fast->sample = PinnedBuffer<std::byte>{fast_sample_size * key_size_bytes(options.key_type)};
    }
    return fast;
}

FastMemory const& fast_memory(GpuState const& gpu) {
    return static_cast<FastMemory const&>(*gpu.resources->own);
}

LeadingCounts leading_counts_of(RunContext const& context, GpuState const& gpu, std::uint32_t row) {
    return {fast_memory(gpu).leading.data() + row * leading_words(context.shape.key_bytes)};
}

bool use_levels(RunContext const& context, GpuState const& gpu) {
    FastMemory const& fast = fast_memory(gpu);
    return fast.local != nullptr && context.rule.chunk_size >= fast.row.least_keys;
}

bool use_levels(RunContext const& context, std::vector<GpuState> const& gpus) {
    return use_levels(context, gpus.front());
}

bool use_pieces(RunContext const& context, std::vector<GpuState> const& gpus) {
    return use_levels(context, gpus) && context.ties == Stability::unstable;
}

void FastMemory::drain() const {
    rounds.drain();
    if (local != nullptr) {
        local->drain();
    }
}

} // namespace keyswap::kernels
