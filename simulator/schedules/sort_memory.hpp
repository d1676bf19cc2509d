#pragma once

/// \file Peak memory of a sort, by a formula per schedule.

#include "model/plan/sort_config.hpp"
#include "traces/catalog/catalog.hpp"

#include <cstdint>

namespace keyswap::simulator {

/// Bytes; clamped to 2^64 - 1.
struct SortMemory {
    std::uint64_t buffer_bytes = 0;  ///< per GPU: two buffers of keys and values
    std::uint64_t scratch_bytes = 0; ///< per GPU: temporary memory of its kernels
    std::uint64_t staging_bytes = 0; ///< per GPU: staging buffers of a swap by node
    std::uint64_t array_bytes = 0;   ///< one array of all keys and values
    std::uint32_t host_arrays = 1;   ///< arrays needed if input and output share a host memory

    [[nodiscard]] std::uint64_t device_bytes() const;
    friend bool operator==(SortMemory const&, SortMemory const&) = default;
};

/// Staging memory per GPU of a swap by node, besides the sort's own. Each of two buffers holds at
/// most what a destination owns (see node_exchange()); since that is unknown before the keys are, a
/// GPU's full capacity is assumed.
[[nodiscard]] std::uint64_t node_staging_bytes(AlgorithmInfo const& algorithm,
                                               model::SortConfig const& config);

/// Formula for the memory of a sort of this configuration. The algorithm decides whether GPUs hold
/// more than their chunk (parameter "tolerance-ppm").
using MemoryLaw = SortMemory (*)(AlgorithmInfo const&, model::SortConfig const&);

/// Two buffers and CUB's temporary memory, for sorts whose kernels need no further arrays.
[[nodiscard]] SortMemory out_of_place_memory(AlgorithmInfo const& algorithm,
                                             model::SortConfig const& config);

/// The published RMG sort, with a histogram per thread block for every potentially spanning bucket.
/// Source: RMG paper, section 5, "Memory consumption", with the sizes in the published files.
[[nodiscard]] SortMemory published_rmg_memory(AlgorithmInfo const& algorithm,
                                              model::SortConfig const& config);

/// out_of_place_memory() plus the tiles of RMG's variant `fast`.
[[nodiscard]] SortMemory tiled_memory(AlgorithmInfo const& algorithm,
                                      model::SortConfig const& config);

/// out_of_place_memory() plus sample sort's one-byte label per key.
[[nodiscard]] SortMemory labelled_memory(AlgorithmInfo const& algorithm,
                                         model::SortConfig const& config);

/// out_of_place_memory() plus published sample sort's counts: 128 of 4 bytes per 2,048 keys.
[[nodiscard]] SortMemory published_sample_memory(AlgorithmInfo const& algorithm,
                                                 model::SortConfig const& config);

/// out_of_place_memory() plus a second host array, into which the CPU merges.
[[nodiscard]] SortMemory host_merge_memory(AlgorithmInfo const& algorithm,
                                           model::SortConfig const& config);

/// CPU sorts: one host array in place, two out of place.
[[nodiscard]] SortMemory host_in_place_memory(AlgorithmInfo const& algorithm,
                                              model::SortConfig const& config);
[[nodiscard]] SortMemory host_out_of_place_memory(AlgorithmInfo const& algorithm,
                                                  model::SortConfig const& config);

} // namespace keyswap::simulator
