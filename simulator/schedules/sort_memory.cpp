#include "simulator/schedules/sort_memory.hpp"

#include "kernels/exchange_plan/local_sizes.hpp"
#include "model/buckets/chunks.hpp"
#include "simulator/schedules/local_levels.hpp"

#include <algorithm>
#include <limits>

namespace keyswap::simulator {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t megabyte = 1'000'000;

std::uint64_t bounded(Wide bytes) {
    constexpr Wide most = std::numeric_limits<std::uint64_t>::max();
    return static_cast<std::uint64_t>(std::min(bytes, most));
}

Wide rounded_up(Wide amount, Wide unit) {
    return (amount + unit - 1) / unit;
}

/// C, and E if the sort has a tolerance.
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

/// Capacity of a buffer in keys: C + 2E, clamped to the number of keys.
Wide capacity_of(AlgorithmInfo const& algorithm, model::SortConfig const& config) {
    ChunkSizes const sizes = chunk_sizes(algorithm, config);
    return std::min(Wide{sizes.chunk} + 2 * Wide{sizes.overhang}, Wide{config.key_count});
}

/// CUB's radix sort: 256 words per block for at most 2^28 keys, and a few small tables. A
/// block of 384 threads takes 19 keys of 32 bits per thread, which agrees within 0.1 MB with
/// CUB's request on H200 (traces/recorded/h200-x4.csv); assumed: wider elements in
/// proportion.
Wide cub_scratch(Wide keys, model::SortConfig const& config) {
    constexpr Wide portion = 1U << 28U; // CUB sorts more in portions
    constexpr Wide tables = 70'000;
    Wide const block_keys = 384 * (19 * 4 / config.element_bytes());
    return rounded_up(std::min(keys, portion), block_keys) * 256 * sizeof(std::uint32_t) + tables;
}

SortMemory
gpu_memory_of(AlgorithmInfo const& algorithm, model::SortConfig const& config, Wide scratch_bytes) {
    Wide const capacity = capacity_of(algorithm, config);
    SortMemory memory;
    memory.buffer_bytes = bounded(2 * capacity * config.element_bytes());
    memory.scratch_bytes = bounded(scratch_bytes);
    memory.array_bytes = bounded(Wide{config.key_count} * config.element_bytes());
    return memory;
}

/// Exchange of histograms in RMG sort: counts of each digit of each potentially spanning bucket,
/// from every GPU.
Wide exchange_scratch(model::SortConfig const& config) {
    Wide const refined = std::max(config.gpu_count, 2U) - 1;
    return (refined << config.digit_bits) * (config.gpu_count + 3) * sizeof(std::uint64_t);
}

/// Memory of the sort of a GPU's own ranges, with the part it shares with CUB's.
kernels::SortScratch
local_bytes(kernels::LocalRule rule, model::SortConfig const& config, Wide capacity) {
    constexpr Wide most = Wide{1} << 62; // so that bytes fit in 64 bits
    kernels::LocalSpec const spec{rule,
                                  shape_of(record_of(config)),
                                  config.ties(),
                                  config.gpu_count,
                                  static_cast<std::uint64_t>(std::min(capacity, most)),
                                  std::nullopt};
    kernels::LocalTiles const tiles = kernels::local_tiles(spec.shape);
    kernels::LocalSizes const sizes = kernels::local_sizes(spec, tiles);
    kernels::SortScratch bytes = kernels::local_bytes(spec, sizes, tiles);
    bytes.own_bytes += sizes.direct_tiles * kernels::direct_ways * sizeof(std::uint32_t);
    return bytes;
}

/// Sort by digits, if our kernels divide such keys; 0 if CUB and digit steps sort them.
kernels::SortScratch digit_bytes(model::SortConfig const& config, Wide capacity) {
    auto const row = digit_row_of(config);
    return row ? local_bytes(kernels::rule_of(*row), config, capacity) : kernels::SortScratch{};
}

SortMemory with_scratch(SortMemory memory, Wide more) {
    memory.scratch_bytes = bounded(memory.scratch_bytes + more);
    return memory;
}

SortMemory splitter_memory(kernels::LocalRule rule,
                           AlgorithmInfo const& algorithm,
                           model::SortConfig const& config) {
    return with_scratch(out_of_place_memory(algorithm, config),
                        local_bytes(rule, config, capacity_of(algorithm, config)).own_bytes);
}

} // namespace

std::uint64_t SortMemory::device_bytes() const {
    return bounded(Wide{buffer_bytes} + scratch_bytes + staging_bytes);
}

std::uint64_t node_staging_bytes(AlgorithmInfo const& algorithm, model::SortConfig const& config) {
    return bounded(2 * capacity_of(algorithm, config) * config.element_bytes());
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
    // Derived from columns of the published files; agrees with them to 100 bytes.
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
    // Room for both overhangs, even if there are too few keys to use it.
    memory.buffer_bytes =
        bounded(2 * (Wide{sizes.chunk} + 2 * Wide{sizes.overhang}) * config.element_bytes());
    return memory;
}

SortMemory tiled_memory(AlgorithmInfo const& algorithm, model::SortConfig const& config) {
    Wide const capacity = capacity_of(algorithm, config);
    Wide const of_library = cub_scratch(capacity, config);
    kernels::SortScratch const local = digit_bytes(config, capacity);
    if (config.gpu_count == 1) {
        return with_scratch(out_of_place_memory(algorithm, config),
                            local.own_bytes + std::max(Wide{local.temp_bytes}, of_library) -
                                of_library);
    }
    // As allocated by kernels/sorts/rmg/fast_memory.cpp.
    Wide const buckets = Wide{1} << config.digit_bits;
    Wide const parts = 1 + buckets * (config.gpu_count + 1);
    Wide const tiles = capacity / stable_tile_keys(record_of(config)) + parts;
    int const bits_below = key_bits(config.key_type) - config.digit_bits;
    auto const steps = rounded_up(static_cast<Wide>(std::max(bits_below, 0)), 8);
    constexpr Wide bin_bytes = 256 * sizeof(std::uint32_t); // digits of one tile or bucket
    Wide const temporary = std::max({tiles * bin_bytes, of_library, Wide{local.temp_bytes}});
    Wide const leading_words =
        digit_row_of(config)
            ? kernels::exchanged_leading_words(config.gpu_count,
                                               bounded(capacity),
                                               shape_of(record_of(config)).key_bytes,
                                               kernels::leading_bytes_min)
            : 0;
    return gpu_memory_of(algorithm,
                         config,
                         temporary + parts * kernels::part_bytes + 2 * tiles * kernels::tile_bytes +
                             buckets * steps * bin_bytes + 2 * bin_bytes + local.own_bytes +
                             leading_words * sizeof(std::uint32_t) + exchange_scratch(config));
}

SortMemory labelled_memory(AlgorithmInfo const& algorithm, model::SortConfig const& config) {
    return splitter_memory(kernels::LocalRule::splitters, algorithm, config);
}

SortMemory published_sample_memory(AlgorithmInfo const& algorithm,
                                   model::SortConfig const& config) {
    return splitter_memory(kernels::LocalRule::splitters_published, algorithm, config);
}

SortMemory host_merge_memory(AlgorithmInfo const& algorithm, model::SortConfig const& config) {
    SortMemory memory = out_of_place_memory(algorithm, config);
    memory.host_arrays = 2;
    return memory;
}

SortMemory host_in_place_memory(AlgorithmInfo const& /*algorithm*/,
                                model::SortConfig const& config) {
    SortMemory memory;
    memory.array_bytes = bounded(Wide{config.key_count} * config.element_bytes());
    return memory;
}

SortMemory host_out_of_place_memory(AlgorithmInfo const& algorithm,
                                    model::SortConfig const& config) {
    SortMemory memory = host_in_place_memory(algorithm, config);
    memory.host_arrays = 2;
    return memory;
}

} // namespace keyswap::simulator
