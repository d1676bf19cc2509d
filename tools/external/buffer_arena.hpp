#pragma once

#include "traces/errors/contracts.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

namespace keyswap::tools {

/// The one place that all buffers of an external sort come from: what was given, less what the
/// program itself needs. Pages are taken as they are used.
class BufferArena {
  public:
    static constexpr std::size_t alignment = 4096; ///< a page, and a sector of any disk

    explicit BufferArena(std::uint64_t size_bytes)
        : size_bytes_(size_bytes + aligned_max * line_bytes),
          bytes_(
              static_cast<std::byte*>(::operator new (size_bytes_, std::align_val_t{alignment}))) {}

    /// Aligned to a cache line; at most aligned_max of them. \pre that much is left
    [[nodiscard]] std::span<std::byte> take_aligned(std::uint64_t size_bytes) {
        used_bytes_ = (used_bytes_ + line_bytes - 1) / line_bytes * line_bytes;
        return take(size_bytes);
    }

    /// \pre that much is left
    [[nodiscard]] std::span<std::byte> take(std::uint64_t size_bytes) {
        std::uint64_t const begin = used_bytes_;
        KEYSWAP_EXPECTS(begin + size_bytes <= size_bytes_);
        used_bytes_ = begin + size_bytes;
        peak_bytes_ = used_bytes_ > peak_bytes_ ? used_bytes_ : peak_bytes_;
        return {bytes_.get() + begin, size_bytes};
    }

    /// Takes back all that was given. \pre nobody uses it any more
    void clear() { used_bytes_ = 0; }
    [[nodiscard]] std::uint64_t peak_bytes() const { return peak_bytes_; }

  private:
    static constexpr std::uint64_t line_bytes = 64;
    static constexpr std::uint64_t aligned_max = 32;

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
