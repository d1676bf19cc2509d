#pragma once

#include "kernels/cpu/thread_team.hpp"
#include "tools/external/files/storage.hpp"
#include "traces/errors/contracts.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <sys/mman.h>
#include <system_error>

namespace keyswap::tools {

/// Reinterprets bytes of an arena as an array of T.
template <class T>
std::span<T> view_as(std::span<std::byte> bytes) {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// Faults in the pages with many threads and keeps their content: pinning would fault them in with
/// one thread. Best effort: on failure, pages are allocated at first use.
inline void allocate_pages(std::span<std::byte> memory, unsigned threads) {
    constexpr std::size_t page = StoredFile::page_bytes;
    auto const begin = reinterpret_cast<std::uintptr_t>(memory.data()) / page * page;
    auto const end = reinterpret_cast<std::uintptr_t>(memory.data()) + memory.size();
    try {
        kernels::run_on_threads(threads, [&](unsigned thread) {
            auto const [from, to] =
                kernels::block_of((end - begin + page - 1) / page, threads, thread);
            ::madvise(reinterpret_cast<void*>(begin + from * page), // NOLINT(*-int-to-ptr)
                      (to - from) * page,
                      MADV_POPULATE_WRITE);
        });
    } catch (std::system_error const&) { // no thread available
    }
}

/// Single allocation behind all buffers of an external sort, sized to the memory limit less the
/// program's own needs. The kernel allocates pages at first use.
class BufferArena {
  public:
    explicit BufferArena(std::uint64_t size_bytes)
        : size_bytes_(size_bytes + spare_pages * StoredFile::page_bytes),
          bytes_(
              static_cast<std::byte*>(::operator new (size_bytes_, std::align_val_t{alignment}))) {
        ::madvise(bytes_.get(), size_bytes_, MADV_HUGEPAGE); // best effort, errors ignored
    }

    /// Takes bytes that begin at a page; spare_pages cover the bytes lost to alignment.
    /// \pre enough bytes are left
    [[nodiscard]] std::span<std::byte> take_aligned(std::uint64_t size_bytes) {
        constexpr std::uint64_t page = StoredFile::page_bytes;
        used_bytes_ = (used_bytes_ + page - 1) / page * page;
        return take(size_bytes);
    }
    /// As take_aligned(), plus one page: bytes can get the same offset within a page as in a file.
    [[nodiscard]] std::span<std::byte> take_movable(std::uint64_t size_bytes) {
        return take_aligned(size_bytes + StoredFile::page_bytes);
    }

    /// \pre enough bytes are left
    [[nodiscard]] std::span<std::byte> take(std::uint64_t size_bytes) {
        std::uint64_t const begin = used_bytes_;
        KEYSWAP_EXPECTS(begin + size_bytes <= size_bytes_);
        used_bytes_ = begin + size_bytes;
        peak_bytes_ = used_bytes_ > peak_bytes_ ? used_bytes_ : peak_bytes_;
        return {bytes_.get() + begin, size_bytes};
    }

    /// Releases all buffers. \pre no buffer is in use
    void clear() { used_bytes_ = 0; }
    [[nodiscard]] std::uint64_t peak_bytes() const { return peak_bytes_; }

  private:
    static constexpr std::size_t alignment = std::size_t{1} << 21; ///< a huge page
    static constexpr std::uint64_t spare_pages = 32;

    struct Free {
        void operator()(std::byte* bytes) const {
            ::operator delete (bytes, std::align_val_t{alignment});
        }
    };

    std::uint64_t size_bytes_;
    std::uint64_t used_bytes_ = 0;
    std::uint64_t peak_bytes_ = 0;
    std::unique_ptr<std::byte, Free> bytes_;
};

} // namespace keyswap::tools
