#pragma once

/// \file How much memory a sort takes at once, by the law of its schedule.

#include "model/plan/sort_config.hpp"
#include "traces/catalog/catalog.hpp"

#include <cstdint>

namespace keyswap::simulator {

/// Bytes, at most 2^64 - 1 where more are meant.
struct SortMemory {
    std::uint64_t buffer_bytes = 0;  ///< of each GPU: two buffers for its keys and values
    std::uint64_t scratch_bytes = 0; ///< of each GPU: what its kernels need beside them
    std::uint64_t staging_bytes = 0; ///< of each GPU: what a swap by node gathers and receives
    std::uint64_t array_bytes = 0;   ///< of all keys and values once
    std::uint32_t host_arrays = 1;   ///< such arrays, where input and output lie in one host memory

    [[nodiscard]] std::uint64_t device_bytes() const;
    friend bool operator==(SortMemory const&, SortMemory const&) = default;
};

/// Of each GPU: what a swap by node takes beside the sort's own memory. The two staging buffers
/// hold what one destination owns at most (node_exchange()), which is not known before the keys
/// are.
[[nodiscard]] std::uint64_t node_staging_bytes(AlgorithmInfo const& algorithm,
                                               model::SortConfig const& config);

/// A law: what a sort of this configuration takes. The algorithm says whether GPUs hold more than
/// their chunk (parameter "tolerance-ppm").
using MemoryLaw = SortMemory (*)(AlgorithmInfo const&, model::SortConfig const&);

/// Two buffers and CUB's temporary memory: every sort whose kernels keep no further arrays.
[[nodiscard]] SortMemory out_of_place_memory(AlgorithmInfo const& algorithm,
                                             model::SortConfig const& config);

/// The published RMG sort, which keeps histograms of every thread block for every bucket that may
/// span. Source: RMG paper, section 5, "Memory consumption", with the sizes in the published files.
[[nodiscard]] SortMemory published_rmg_memory(AlgorithmInfo const& algorithm,
                                              model::SortConfig const& config);

/// As out_of_place_memory(), with the tiles of RMG's variant `fast`.
[[nodiscard]] SortMemory tiled_memory(AlgorithmInfo const& algorithm,
                                      model::SortConfig const& config);

/// As out_of_place_memory(), with sample sort's label of a byte for each key.
[[nodiscard]] SortMemory labelled_memory(AlgorithmInfo const& algorithm,
                                         model::SortConfig const& config);

/// The same with the counts of sample sort as published, 128 of 4 bytes for every 2,048 keys.
[[nodiscard]] SortMemory published_sample_memory(AlgorithmInfo const& algorithm,
                                                 model::SortConfig const& config);

/// As out_of_place_memory(), with a second array in host memory that the CPU merges into.
[[nodiscard]] SortMemory host_merge_memory(AlgorithmInfo const& algorithm,
                                           model::SortConfig const& config);

/// Of CPU sorts.
[[nodiscard]] SortMemory host_in_place_memory(AlgorithmInfo const& algorithm,
                                              model::SortConfig const& config);
[[nodiscard]] SortMemory host_out_of_place_memory(AlgorithmInfo const& algorithm,
                                                  model::SortConfig const& config);

} // namespace keyswap::simulator
