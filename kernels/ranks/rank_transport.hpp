#pragma once

/// \file Communication between the GPUs of a sort's ranks. No CUDA header is needed.

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Target of a cudaStream_t.
struct CUstream_st;
/// Target of a cudaEvent_t.
struct CUevent_st;

namespace keyswap::kernels {

/// Thrown when another rank has ended, stopped, or is at a different step.
class RankLost : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A message to or from another rank, in device memory.
struct RankMessage {
    std::uint32_t peer = 0;
    void* data = nullptr;
    std::size_t bytes = 0;
};

/// Memory that every rank has shared, at one call of share_memory().
struct SharedBlock {
    std::uint64_t id = 0; ///< positive, the same on all ranks
    /// [size()] each rank's memory in the caller's address space; empty on all ranks if any rank
    /// cannot share
    std::vector<void*> addresses;
};

/// One rank's endpoint; each rank has one GPU. Calls are collective: all ranks make the same calls
/// in the same order, with matching sizes. Memory is on the rank's GPU.
class RankTransport {
  public:
    RankTransport() = default;
    RankTransport(RankTransport const&) = delete;
    RankTransport& operator=(RankTransport const&) = delete;
    virtual ~RankTransport() = default;

    [[nodiscard]] virtual std::uint32_t rank() const = 0;
    [[nodiscard]] virtual std::uint32_t size() const = 0;
    /// Name and version of the transport, such as "NCCL 2.28.9".
    [[nodiscard]] virtual std::string name() const = 0;

    /// True if all ranks have different GPUs; device numbers may repeat on different machines.
    [[nodiscard]] virtual bool has_distinct_gpus() const = 0;

    /// Gathers `bytes` bytes of every rank on all ranks, queued in the stream.
    /// \param step named in error messages \param own may be the rank's place in `all`
    /// \param all [size()][bytes] \throws RankLost, CudaFailure
    virtual void all_gather(CUstream_st* stream,
                            std::string_view step,
                            void const* own,
                            void* all,
                            std::size_t bytes) = 0;

    /// Sends and receives, queued in the stream. The i-th send from rank a to rank b matches the
    /// i-th receive of b from a; a rank may be its own peer.
    /// \throws RankLost, CudaFailure
    virtual void exchange(CUstream_st* stream,
                          std::string_view step,
                          std::span<RankMessage const> sends,
                          std::span<RankMessage const> receives) = 0;

    /// Queues a wait of every rank's stream for all ranks' earlier work in theirs.
    /// \throws RankLost, CudaFailure
    virtual void barrier(CUstream_st* stream, std::string_view step) = 0;

    /// Shares memory with all ranks, so that they can copy to it; shares nothing if any rank cannot
    /// (another machine, no peer access, memory that CUDA IPC cannot export). Also prepares the
    /// transport for messages in this memory. Call unshare_memory() before the memory is freed.
    /// \throws RankLost, CudaFailure
    [[nodiscard]] virtual SharedBlock share_memory(void* data, std::size_t bytes) = 0;
    /// Returns once no rank can access the memory, or a rank is lost or late. Of ranks in one
    /// process, only the caller stops sharing. \pre no copies to peers are queued
    virtual void unshare_memory(std::uint64_t id) noexcept = 0;

    /// Waits for the stream, including other ranks' part. \throws RankLost, CudaFailure
    virtual void wait(CUstream_st* stream, std::string_view step) = 0;
    /// Waits for an event, including other ranks' part. \throws RankLost, CudaFailure
    virtual void wait_event(CUevent_st* event, std::string_view step) = 0;

    /// Leaves the group: transports report it to other ranks if they can; otherwise these time out.
    /// Every later call throws RankLost.
    virtual void abandon() noexcept = 0;
};

} // namespace keyswap::kernels
