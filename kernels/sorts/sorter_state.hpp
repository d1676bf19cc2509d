#pragma once

/// \file What a Sorter owns from call to call.

#include "kernels/runtime/run_context.hpp"
#include "kernels/sort.hpp"

#include <optional>
#include <vector>

namespace keyswap::kernels {

class SorterState {
  public:
    /// \throws CudaFailure
    /// \param ranks null = all GPUs are this process's; else it has that of the rank alone
    SorterState(SortOptions const& options,
                std::uint64_t key_count_max,
                ChunkBuffers buffers,
                RankTransport* ranks = nullptr);
    ~SorterState();
    SorterState(SorterState const&) = delete;
    SorterState& operator=(SorterState const&) = delete;

    SortOptions options;
    std::uint64_t key_count_max = 0;
    ChunkBuffers chunk_buffers;
    WorkspaceSize workspace;
    bool peer_access = true;
    RankTransport* ranks = nullptr;
    std::vector<int> rank_devices;       ///< [rank] device numbers on their machines; of ranks
    std::vector<GpuResources> resources; ///< of this process's GPUs
    GpuId first_gpu;                     ///< of them
    ExchangeBuffers exchange;

    /// Registers with the transport, if there are ranks, arrays of workspace.key_capacity elements,
    /// which last longer than `registered`. \param values null without
    void register_memory(void* keys, void* values, std::vector<RegisteredMemory>& registered) const;

    /// Waits for everything that was queued, whether it failed or not.
    void drain() const;
};

/// Which of the GPUs of the options belong to this process.
enum class GpusHere { all, one };

/// \throws CudaFailure
[[nodiscard]] WorkspaceSize needed_workspace(SortOptions const& options,
                                             std::uint64_t key_count,
                                             GpusHere here = GpusHere::all);

/// Says what is missing where devices are unknown or their free memory does not suffice.
/// \throws CudaFailure
[[nodiscard]] std::optional<SortError> device_error(SortOptions const& options,
                                                    std::uint64_t key_count,
                                                    ChunkBuffers buffers,
                                                    GpusHere here = GpusHere::all);

/// Most keys of a sorter whose GPUs have so many pairs of buffers each.
/// \param bytes_per_gpu nullopt: what is free \throws CudaFailure
[[nodiscard]] std::uint64_t key_count_that_fits(SortOptions const& options,
                                                std::optional<std::uint64_t> bytes_per_gpu,
                                                std::uint64_t buffer_pairs = 1);

} // namespace keyswap::kernels
