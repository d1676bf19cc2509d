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
    SorterState(SortOptions const& options, std::uint64_t key_count_max, ChunkBuffers buffers);
    ~SorterState();
    SorterState(SorterState const&) = delete;
    SorterState& operator=(SorterState const&) = delete;

    SortOptions options;
    std::uint64_t key_count_max = 0;
    ChunkBuffers chunk_buffers;
    WorkspaceSize workspace;
    bool peer_access = true;
    std::vector<GpuResources> resources; ///< [g]
    ExchangeBuffers exchange;

    /// Waits for everything that was queued, whether it failed or not.
    void drain() const;
};

/// \throws CudaFailure
[[nodiscard]] WorkspaceSize needed_workspace(SortOptions const& options, std::uint64_t key_count);

/// Says what is missing where devices are unknown or their free memory does not suffice.
/// \throws CudaFailure
[[nodiscard]] std::optional<SortError>
device_error(SortOptions const& options, std::uint64_t key_count, ChunkBuffers buffers);

} // namespace keyswap::kernels
