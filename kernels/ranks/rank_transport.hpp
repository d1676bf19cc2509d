#pragma once

/// \file How the ranks of a sort reach each other's GPUs. No CUDA header is needed.

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

/// What a cudaStream_t points to.
struct CUstream_st;
/// What a cudaEvent_t points to.
struct CUevent_st;

namespace keyswap::kernels {

/// A rank cannot reach the others any more: one has ended, stopped or taken another step.
class RankLost : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Bytes in device memory for another rank, or room for what it sends.
struct RankMessage {
    std::uint32_t peer = 0;
    void* data = nullptr;
    std::size_t bytes = 0;
};

/// One rank's end of the connection to all of them; each rank has one GPU. All ranks take the same
/// steps in the same order, with the same sizes at both ends. Memory is that of the rank's GPU.
class RankTransport {
  public:
    RankTransport() = default;
    RankTransport(RankTransport const&) = delete;
    RankTransport& operator=(RankTransport const&) = delete;
    virtual ~RankTransport() = default;

    [[nodiscard]] virtual std::uint32_t rank() const = 0;
    [[nodiscard]] virtual std::uint32_t size() const = 0;
    /// What moves the bytes: "NCCL 2.28.9".
    [[nodiscard]] virtual std::string name() const = 0;

    /// No two ranks share one; device numbers of different machines may be the same nevertheless.
    [[nodiscard]] virtual bool has_a_gpu_each() const = 0;

    /// Brings the bytes of every rank to all, behind what the stream holds.
    /// \param step in the words of an error
    /// \param all [size()][bytes] \throws RankLost, CudaFailure
    virtual void all_gather(CUstream_st* stream,
                            std::string_view step,
                            void const* own,
                            void* all,
                            std::size_t bytes) = 0;

    /// Sends and receives, behind what the stream holds. The i-th message from one rank to another
    /// is the i-th that the other receives from it; a rank may be its own peer.
    /// \throws RankLost, CudaFailure
    virtual void exchange(CUstream_st* stream,
                          std::string_view step,
                          std::span<RankMessage const> sends,
                          std::span<RankMessage const> receives) = 0;

    /// Says that messages will often lie in this memory, so that others may write it without a copy
    /// between. No step of the ranks': each may register what it likes.
    /// \return for unregister_memory(); null where the transport has no use for it
    [[nodiscard]] virtual void* register_memory(void* /*data*/, std::size_t /*bytes*/) {
        return nullptr;
    }
    virtual void unregister_memory(void* /*registration*/) noexcept {}

    /// Waits for what the stream holds, which may be for other ranks. \throws RankLost, CudaFailure
    virtual void wait(CUstream_st* stream, std::string_view step) = 0;
    /// Waits for what a stream held when the event was recorded; likewise.
    virtual void wait_event(CUevent_st* event, std::string_view step) = 0;

    /// This rank takes no further step, so that others need not wait for it where the transport
    /// can name them. Every later call throws RankLost.
    virtual void abandon() noexcept = 0;
};

/// Memory that a transport, which outlives the object, knows until then.
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
