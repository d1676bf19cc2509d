#pragma once

/// \file State that a Sorter keeps between calls.

#include "kernels/runtime/phase_clock.hpp"
#include "kernels/runtime/run_context.hpp"
#include "kernels/sort.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace keyswap::kernels {

class SorterState {
  public:
    /// \throws CudaFailure
    /// \param ranks null: this process has all GPUs; otherwise it has only its rank's
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
    std::vector<int> rank_devices;       ///< [rank] device numbers on their machines; ranks only
    std::optional<SharedBuffers> shared; ///< nullopt without ranks
    std::vector<GpuResources> resources; ///< of this process's GPUs
    GpuId first_gpu;                     ///< first of this process's GPUs
    ExchangeBuffers exchange;
    PhaseClock clock; ///< of the latest run

    /// Shares arrays of workspace.key_capacity elements with all ranks. They must outlive the
    /// result. \param values ignored without values \pre ranks \throws RankLost, CudaFailure
    void share(void* keys, void* values, std::vector<SharedMemory>& all);

    /// Waits for all queued work and ignores its errors.
    void drain() const;
};

/// Which GPUs of the options belong to this process.
enum class LocalGpus { all, one };

/// \throws CudaFailure
[[nodiscard]] WorkspaceSize needed_workspace(SortOptions const& options,
                                             std::uint64_t key_count,
                                             LocalGpus here = LocalGpus::all);

/// Error for unknown devices or insufficient free memory; nullopt if a sorter would fit.
/// \throws CudaFailure
[[nodiscard]] std::optional<SortError> device_error(SortOptions const& options,
                                                    std::uint64_t key_count,
                                                    ChunkBuffers buffers,
                                                    LocalGpus here = LocalGpus::all);

using BytesByCapacity = std::function<std::uint64_t(std::uint64_t)>;

/// Most keys of a sorter with `buffer_pairs` pairs of buffers per GPU.
/// \param bytes_per_gpu nullopt: all free memory
/// \param further_bytes other memory of the caller on each GPU, by key capacity \throws CudaFailure
[[nodiscard]] std::uint64_t key_count_that_fits(SortOptions const& options,
                                                std::optional<std::uint64_t> bytes_per_gpu,
                                                std::uint64_t buffer_pairs = 1,
                                                BytesByCapacity const& further_bytes = {});

} // namespace keyswap::kernels
