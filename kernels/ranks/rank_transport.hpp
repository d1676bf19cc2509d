#pragma once

/// \file Communication between the GPUs of a sort's ranks. No CUDA header is needed.

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

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
    /// \param step named in error messages
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

    /// Announces that messages will often be in this memory, so that peers may write to it
    /// directly. Not collective.
    /// \return handle for unregister_memory(); null if the transport cannot use it
    [[nodiscard]] virtual void* register_memory(void* /*data*/, std::size_t /*bytes*/) {
        return nullptr;
    }
    virtual void unregister_memory(void* /*registration*/) noexcept {}

    /// Waits for the stream, including other ranks' part. \throws RankLost, CudaFailure
    virtual void wait(CUstream_st* stream, std::string_view step) = 0;
    /// Waits for an event, including other ranks' part. \throws RankLost, CudaFailure
    virtual void wait_event(CUevent_st* event, std::string_view step) = 0;

    /// Leaves the group: transports report it to other ranks if they can; otherwise these time out.
    /// Every later call throws RankLost.
    virtual void abandon() noexcept = 0;
};

/// RAII for the registration of memory with a transport, which must outlive the object.
class RegisteredMemory {
  public:
    RegisteredMemory() = default;
    RegisteredMemory(RankTransport& ranks, void* data, std::size_t bytes)
        : ranks_(&ranks), registration_(ranks.register_memory(data, bytes)) {}
    RegisteredMemory(RegisteredMemory&& other) noexcept
        : ranks_(other.ranks_), registration_(std::exchange(other.registration_, nullptr)) {}
    RegisteredMemory& operator=(RegisteredMemory&& other) noexcept {
        std::swap(ranks_, other.ranks_);
        std::swap(registration_, other.registration_);
        return *this;
    }
    ~RegisteredMemory() {
        if (registration_ != nullptr) {
            ranks_->unregister_memory(registration_);
        }
    }

  private:
    RankTransport* ranks_ = nullptr;
    void* registration_ = nullptr;
};

} // namespace keyswap::kernels
