#pragma once

/// \file GPU memory of other ranks on this machine, mapped by CUDA IPC if they are other processes.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace keyswap::kernels {

/// Identifies a rank's memory to the others, which receive it byte by byte.
struct MemoryOffer {
    std::uint64_t machine = 0; ///< hash
    std::uint64_t process = 0; ///< hash, different for all processes
    std::uint64_t address = 0; ///< in that process
    std::uint64_t offset = 0;  ///< bytes from the start of the allocation that is exported
    cudaIpcMemHandle_t allocation{};
    std::int32_t device = 0;        ///< in that process
    std::int32_t is_exportable = 0; ///< else no rank uses the offer
};

/// Not exportable: memory that was not allocated by cudaMalloc, and all memory if NCCL_P2P_DISABLE
/// is set (except to 0 or nothing).
/// \param data [bytes] within one allocation on `device`
[[nodiscard]] MemoryOffer offer_memory(int device, void* data, std::size_t bytes);

/// A rank's memory in this process's address space.
class PeerMemory {
  public:
    /// \param offer of any rank \param own this rank's; its device must be current
    /// \return nullopt if this process cannot access the memory \throws CudaFailure
    [[nodiscard]] static std::optional<PeerMemory> open(MemoryOffer const& offer,
                                                        MemoryOffer const& own);

    [[nodiscard]] void* data() const { return data_; }

  private:
    PeerMemory(void* data, void* mapping);
    void* data_;
    std::unique_ptr<void, void (*)(void*)> mapping_; ///< null within one process
};

} // namespace keyswap::kernels
