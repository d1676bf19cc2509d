#pragma once

/// \file A multi-GPU sort whose GPUs belong to different processes or threads: one rank per GPU,
/// under mpirun, Slurm or your own launcher. Plans, records and results equal those of sort.hpp
/// with as many GPUs. No CUDA or NCCL header is needed.
///
///     auto transport = keyswap::kernels::duplicate_nccl(comm, device, std::chrono::seconds(60));
///     if (!transport) { ... transport.error().message ... }
///     keyswap::kernels::SortOptions options;                // the same on every rank
///     options.devices = {device};
///     auto sorter = keyswap::kernels::RankSorter::create(
///         std::move(*transport), options, n, keyswap::kernels::ChunkBuffers::caller);
///     keyswap::kernels::DeviceChunk const chunk{keys, spare, nullptr, nullptr, stream};
///     auto shared = sorter->share_chunk(chunk); // optional, once per chunk
///     auto report = sorter->sort_in_place(chunk, n);
///     if (report) { use(report->chunks.front()); }

#include "kernels/ranks/nccl_transport.hpp"
#include "kernels/ranks/rank_transport.hpp"
#include "kernels/ranks/shared_memory.hpp"
#include "kernels/ranks/thread_transport.hpp"
#include "kernels/sort.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace keyswap::kernels {

class SorterState;

/// One rank's part of a sort of all ranks' keys. Every call is collective: all ranks make it, with
/// the same options and key counts. An error of one rank reaches the others as a lost rank
/// (SortErrorCode::rank_failure) within the transport's timeout. After such an error or a device
/// failure, every further call returns an error.
///
/// Ranks that are processes destroy their sorters and shared chunks together, in the same order:
/// each waits, up to the timeout, until the others have released its memory. After a timeout, a
/// rank that was only late may still write to the others' shared memory.
class RankSorter {
  public:
    /// \param options a single device, this rank's; the rest as on the other ranks
    /// \param key_count_max limit of n, over all ranks, in later calls
    /// Errors: as Sorter::create(); an algorithm that needs peer access; ranks with other options.
    [[nodiscard]] static SortExpected<RankSorter> create(std::unique_ptr<RankTransport> ranks,
                                                         SortOptions options,
                                                         std::uint64_t key_count_max,
                                                         ChunkBuffers buffers);
    RankSorter(RankSorter&&) noexcept;
    RankSorter& operator=(RankSorter&&) noexcept;
    ~RankSorter();

    /// \return C = ceil(n / ranks): rank r's keys are [rC, min((r+1)C, n)) of all
    [[nodiscard]] std::uint64_t chunk_size(std::uint64_t key_count) const;
    [[nodiscard]] WorkspaceSize workspace() const;
    [[nodiscard]] RankTransport const& ranks() const { return *ranks_; }

    /// Trace header of a run of n keys (see Sorter::describe); identical on every rank except for
    /// device and driver.
    [[nodiscard]] RunHeader describe(std::uint64_t key_count) const;

    /// Sorts host memory: on entry this rank's share of all `key_count` keys, on return the keys
    /// that it owns. \param keys [workspace().key_capacity] \param values the same; null without
    /// values \param trace receives the records known to this rank, its own times and digests
    /// \return chunks has one entry, this rank's \pre created with ChunkBuffers::sorter
    [[nodiscard]] SortExpected<SortReport> sort(void* keys,
                                                void* values,
                                                std::uint64_t key_count,
                                                PhaseTiming timing = PhaseTiming::off,
                                                TraceSink* trace = nullptr);

    /// The same for a chunk on the rank's GPU. \pre created with ChunkBuffers::caller
    [[nodiscard]] SortExpected<SortReport> sort_in_place(DeviceChunk const& chunk,
                                                         std::uint64_t key_count,
                                                         PhaseTiming timing = PhaseTiming::off,
                                                         TraceSink* trace = nullptr);

    /// Shares a chunk with all ranks for later calls, until the result is destroyed; destroy it
    /// before the chunk and the sorter. If all ranks' chunks are shared and their GPUs can
    /// access each other's memory (one machine, memory of cudaMalloc), copy engines move the keys;
    /// otherwise the transport sends them. Affects speed only.
    /// \pre created with ChunkBuffers::caller
    [[nodiscard]] SortExpected<std::vector<SharedMemory>> share_chunk(DeviceChunk const& chunk);

    /// True if the ranks copy keys to each other's memory, given the memory shared so far; false if
    /// the transport sends them. The same on all ranks.
    [[nodiscard]] bool copies_to_peers() const;

  private:
    RankSorter(std::unique_ptr<RankTransport> ranks, std::unique_ptr<SorterState> state);
    std::unique_ptr<RankTransport> ranks_; ///< outlives the state, which waits for it
    std::unique_ptr<SorterState> state_;
};

} // namespace keyswap::kernels
