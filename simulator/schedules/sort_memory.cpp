#include "simulator/schedules/sort_memory.hpp"

#include "model/buckets/chunks.hpp"
#include "simulator/schedules/local_levels.hpp"

#include <algorithm>
#include <limits>

namespace keyswap::simulator {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t megabyte = 1'000'000;
constexpr std::uint64_t tile_bytes = 32; ///< of a thread block's share of a segment
constexpr std::uint64_t part_bytes = 40; ///< of a segment that lies together
constexpr std::uint64_t split_segment_bytes = 32;

std::uint64_t bounded(Wide bytes) {
    constexpr Wide most = std::numeric_limits<std::uint64_t>::max();
    return static_cast<std::uint64_t>(std::min(bytes, most));
}

Wide rounded_up(Wide amount, Wide unit) {
    return (amount + unit - 1) / unit;
}

std::uint64_t element_bytes(model::SortConfig const& config) {
    return key_size_bytes(config.key_type) + value_size_bytes(config.value_type);
}

/// C, and E of a sort that has a tolerance.
struct ChunkSizes {
    std::uint64_t chunk = 0;
    std::uint64_t overhang = 0;
};

ChunkSizes chunk_sizes(AlgorithmInfo const& algorithm, model::SortConfig const& config) {
    std::uint64_t const chunk = model::Chunks(config.key_count, config.gpu_count).size();
    bool const has_tolerance = find_parameter(algorithm, "tolerance-ppm") != nullptr;
    Wide const overhang = has_tolerance ? Wide{chunk} * config.tolerance_ppm / 1'000'000 : 0;
    return {chunk, static_cast<std::uint64_t>(overhang)};
}

/// Keys that a buffer has room for: C + 2E, but never more than there are.
Wide capacity_of(AlgorithmInfo const& algorithm, model::SortConfig const& config) {
    ChunkSizes const sizes = chunk_sizes(algorithm, config);
    return std::min(Wide{sizes.chunk} + 2 * Wide{sizes.overhang}, Wide{config.key_count});
}

/// A word for each of 256 digits of a block of CUB's radix sort, of 2^28 keys at most, and a few
/// small tables. Blocks of 384 threads take 19 keys of 32 bits each, which agrees within 0.1 MB
/// with what CUB asked for on H200 (traces/recorded/h200-x4.csv); assumed: wider keys in
/// proportion.
Wide cub_scratch(Wide keys, model::SortConfig const& config) {
    constexpr Wide portion = 1U << 28U; // CUB sorts more in portions
    constexpr Wide tables = 70'000;
    Wide const block_keys = 384 * (19 * 4 / element_bytes(config));
    return rounded_up(std::min(keys, portion), block_keys) * 256 * sizeof(std::uint32_t) + tables;
}

SortMemory
gpu_memory_of(AlgorithmInfo const& algorithm, model::SortConfig const& config, Wide scratch_bytes) {
    Wide const capacity = capacity_of(algorithm, config);
    SortMemory memory;
    memory.buffer_bytes = bounded(2 * capacity * element_bytes(config));
    memory.scratch_bytes = bounded(scratch_bytes);
    memory.array_bytes = bounded(Wide{config.key_count} * element_bytes(config));
    return memory;
}

/// What RMG sort's exchange of histograms takes: counts of each digit of each bucket that may span,
/// from every GPU.
Wide exchange_scratch(model::SortConfig const& config) {
    Wide const refined = std::max(config.gpu_count, 2U) - 1;
    return (refined << config.digit_bits) * (config.gpu_count + 3) * sizeof(std::uint64_t);
}

/// What divides a GPU's own segments.
enum class LocalRule { splitters, splitters_published, digits, digits_or_splitters };

/// What a sort of a GPU's own ranges keeps, and what it shares with CUB's sort.
struct LocalBytes {
    Wide own = 0;
    Wide temporary = 0;
};

/// What kernels/local/local_memory.cpp allocates.
LocalBytes local_bytes(LocalRule rule, model::SortConfig const& config, Wide capacity) {
    constexpr Wide table_entry_bytes = sizeof(std::uint32_t);
    constexpr Wide stretch_bytes = (Wide{1} << counting_bits) * table_entry_bytes + 4;
    constexpr Wide direct_tile_keys = 2048;
    constexpr Wide direct_counts_bytes = 128 * table_entry_bytes;
    Wide const key_bytes = key_size_bytes(config.key_type);
    Wide const widest = std::max<Wide>(key_bytes, value_size_bytes(config.value_type));
    bool const digits = rule == LocalRule::digits || rule == LocalRule::digits_or_splitters;
    bool const published = rule == LocalRule::splitters_published;
    bool const several = config.gpu_count > 1;
    Wide const leaf = published ? Wide{1} << 17U : Wide{leaf_keys_of(record_of(config))};
    Wide const large = capacity / leaf + 1;
    Wide const segments = digits ? std::clamp<Wide>(large, several ? 256 : 1, digit_segments_max)
                                 : std::clamp<Wide>(large, 256, launch_segments_max);
    Wide const arrived = published || !several ? 0
                         : digits              ? segments * config.gpu_count
                                               : std::max<Wide>(256, config.gpu_count);
    Wide const stretches =
        digits && key_bytes == 4 && widest == 4 && config.value_type == ValueType::none
            ? std::min<Wide>(capacity / narrow_stretch_keys + 1, launch_stretches_max)
            : 0;
    Wide const label_tile_keys = 512 * 96 / widest;
    bool const is_stable = digits && config.ties() == Stability::stable;
    Wide const tile_keys =
        is_stable
            ? std::min(label_tile_keys, Wide{stable_tile_keys(record_of(config), wide_step_bits)})
            : label_tile_keys;
    Wide const tiles = capacity / tile_keys + std::max({segments, large, arrived});
    Wide const parts =
        segments + large + (stretches == 0 ? 0 : large) + std::max(arrived, stretches);
    Wide const children = segments * (digits ? 512 : 256);
    Wide const child_bytes = (digits ? 8 : 0) + 16 + 1 + 32; // counters, flag, leaves
    Wide const direct_tiles = published ? capacity / direct_tile_keys + segments : 0;
    Wide const labels = rule == LocalRule::digits ? 0 : tiles * tile_keys; // of a byte
    Wide const trees = rule == LocalRule::digits ? 0 : segments * 256 * key_bytes;
    Wide const own = parts * part_bytes + std::max(tiles, direct_tiles) * tile_bytes + labels +
                     trees + direct_tiles * direct_counts_bytes + segments * split_segment_bytes +
                     stretches * stretch_bytes + children * child_bytes;
    Wide const looked_back = is_stable ? tiles * 512 * sizeof(std::uint32_t) : 0;
    return {own, looked_back};
}

/// By digits, where our kernels divide such keys; nothing where they leave them to CUB and steps.
LocalBytes digit_bytes(model::SortConfig const& config, Wide capacity) {
    if (!digit_row_of(config)) {
        return {};
    }
    bool const may_use_splitters =
        key_size_bytes(config.key_type) == 8 && config.ties() == Stability::unstable;
    LocalRule const rule = may_use_splitters ? LocalRule::digits_or_splitters : LocalRule::digits;
    return local_bytes(rule, config, capacity);
}

SortMemory with_scratch(SortMemory memory, Wide more) {
    memory.scratch_bytes = bounded(memory.scratch_bytes + more);
    return memory;
}

} // namespace

std::uint64_t SortMemory::device_bytes() const {
    return bounded(Wide{buffer_bytes} + scratch_bytes + staging_bytes);
}

std::uint64_t node_staging_bytes(AlgorithmInfo const& algorithm, model::SortConfig const& config) {
    return bounded(2 * capacity_of(algorithm, config) * element_bytes(config));
}

SortMemory out_of_place_memory(AlgorithmInfo const& algorithm, model::SortConfig const& config) {
    Wide const capacity = capacity_of(algorithm, config);
    return gpu_memory_of(
        algorithm, config, cub_scratch(capacity, config) + exchange_scratch(config));
}

SortMemory published_rmg_memory(AlgorithmInfo const& algorithm, model::SortConfig const& config) {
    if (config.gpu_count == 1) {
        return out_of_place_memory(algorithm, config);
    }
    // Every term follows from the columns of the published files, which it meets to 100 bytes.
    ChunkSizes const sizes = chunk_sizes(algorithm, config);
    Wide const key_bytes = key_size_bytes(config.key_type);
    Wide const block_keys = 1024 * (key_bytes == 4 ? 12 : 6);
    Wide const blocks = rounded_up(sizes.chunk, block_keys);
    auto const passes = rounded_up(key_bits(config.key_type), config.digit_bits);
    Wide const spanning_most = (config.gpu_count - 1) * (passes - 1) + 1;
    Wide const buckets = spanning_most << config.digit_bits;
    Wide const block_histograms = blocks * buckets * sizeof(std::uint32_t);
    Wide const tables = buckets * (24 + 20 * config.gpu_count) + 10 * megabyte;
    Wide const pool = 256 * megabyte + Wide{sizes.chunk} * key_bytes / 10; // of the bucket sort
    SortMemory memory = gpu_memory_of(algorithm, config, block_histograms + tables + pool);
    // Room for both overhangs, even of so few keys that none can be used.
    memory.buffer_bytes =
        bounded(2 * (Wide{sizes.chunk} + 2 * Wide{sizes.overhang}) * element_bytes(config));
    return memory;
}

SortMemory tiled_memory(AlgorithmInfo const& algorithm, model::SortConfig const& config) {
    Wide const capacity = capacity_of(algorithm, config);
    Wide const of_library = cub_scratch(capacity, config);
    LocalBytes const local = digit_bytes(config, capacity);
    if (config.gpu_count == 1) {
        return with_scratch(out_of_place_memory(algorithm, config),
                            local.own + std::max(local.temporary, of_library) - of_library);
    }
    // As kernels/sorts/rmg/fast_memory.cpp allocates it.
    Wide const buckets = Wide{1} << config.digit_bits;
    Wide const parts = 1 + buckets * (config.gpu_count + 1);
    Wide const tiles = capacity / stable_tile_keys(record_of(config)) + parts;
    int const bits_below = key_bits(config.key_type) - config.digit_bits;
    auto const steps = rounded_up(static_cast<Wide>(std::max(bits_below, 0)), 8);
    constexpr Wide bin_bytes = 256 * sizeof(std::uint32_t); // of the digits of one tile or bucket
    Wide const temporary = std::max({tiles * bin_bytes, of_library, local.temporary});
    return gpu_memory_of(algorithm,
                         config,
                         temporary + parts * part_bytes + 2 * tiles * tile_bytes +
                             buckets * steps * bin_bytes + 2 * bin_bytes + local.own +
                             exchange_scratch(config));
}

SortMemory labelled_memory(AlgorithmInfo const& algorithm, model::SortConfig const& config) {
    return with_scratch(
        out_of_place_memory(algorithm, config),
        local_bytes(LocalRule::splitters, config, capacity_of(algorithm, config)).own);
}

SortMemory published_sample_memory(AlgorithmInfo const& algorithm,
                                   model::SortConfig const& config) {
    return with_scratch(
        out_of_place_memory(algorithm, config),
        local_bytes(LocalRule::splitters_published, config, capacity_of(algorithm, config)).own);
}

SortMemory host_merge_memory(AlgorithmInfo const& algorithm, model::SortConfig const& config) {
    SortMemory memory = out_of_place_memory(algorithm, config);
    memory.host_arrays = 2;
    return memory;
}

SortMemory host_in_place_memory(AlgorithmInfo const& /*algorithm*/,
                                model::SortConfig const& config) {
    SortMemory memory;
    memory.array_bytes = bounded(Wide{config.key_count} * element_bytes(config));
    return memory;
}

SortMemory host_out_of_place_memory(AlgorithmInfo const& algorithm,
                                    model::SortConfig const& config) {
    SortMemory memory = host_in_place_memory(algorithm, config);
    memory.host_arrays = 2;
    return memory;
}

} // namespace keyswap::simulator
