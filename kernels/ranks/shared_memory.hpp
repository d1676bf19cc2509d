#pragma once

/// \file Buffers that the ranks of a sort share, and where peers find them.

#include "kernels/ranks/rank_transport.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace keyswap::kernels {

/// An address in a shared block; means the same on all ranks.
struct SharedPlace {
    std::uint64_t block = 0;  ///< SharedBlock::id; 0 if the address is not shared
    std::uint64_t offset = 0; ///< bytes from the start of each rank's memory
};

class SharedBuffers;

/// RAII for a shared block. The list must outlive it, and the memory must, too.
class SharedMemory {
  public:
    SharedMemory(SharedBuffers& list, std::uint64_t id) : list_(&list, Remove{id}) {}

  private:
    struct Remove {
        std::uint64_t id;
        void operator()(SharedBuffers* list) const noexcept;
    };
    std::unique_ptr<SharedBuffers, Remove> list_;
};

/// All blocks that a sorter's rank shares.
class SharedBuffers {
  public:
    /// \param ranks must outlive the object
    explicit SharedBuffers(RankTransport& ranks) : ranks_(ranks) {}
    SharedBuffers(SharedBuffers const&) = delete;
    SharedBuffers& operator=(SharedBuffers const&) = delete;

    /// Collective. \throws RankLost, CudaFailure
    [[nodiscard]] SharedMemory add(void* data, std::size_t bytes);

    /// True if there are blocks, and the ranks can copy to all of them.
    [[nodiscard]] bool are_accessible() const;

    /// The place of an address of this rank; block 0 if the ranks cannot copy to it.
    [[nodiscard]] SharedPlace find(void const* address) const;
    /// Address, in this process, of the same place in a rank's memory; nullopt if this rank no
    /// longer shares the block. \pre place.block > 0
    [[nodiscard]] std::optional<void*> address(std::uint32_t rank, SharedPlace place) const;

  private:
    friend class SharedMemory;
    struct Entry {
        SharedBlock block;
        std::byte* data = nullptr;
        std::size_t bytes = 0;
    };
    void remove(std::uint64_t id) noexcept;

    RankTransport& ranks_;
    std::vector<Entry> entries_;
};

} // namespace keyswap::kernels
