#pragma once

#include "traces/input_error.hpp"

#include <cstddef>
#include <span>

namespace keyswap::conformance {

/// Memory that a child process shares, between two pages that nobody may touch: a write beyond its
/// end or far before its beginning kills the writer, and one within the few bytes between an end
/// and its page is noticed afterwards.
class GuardedMemory {
  public:
    [[nodiscard]] static Expected<GuardedMemory> allocate(std::size_t size_bytes);
    GuardedMemory(GuardedMemory&& other) noexcept;
    GuardedMemory& operator=(GuardedMemory&& other) noexcept;
    ~GuardedMemory();

    /// Aligned to 64 bytes.
    [[nodiscard]] std::span<std::byte> bytes() const;
    /// Bytes around the memory are as they were.
    [[nodiscard]] bool surroundings_intact() const;

  private:
    GuardedMemory() = default;
    std::byte* mapping_ = nullptr; ///< with both guard pages
    std::size_t mapping_size_ = 0;
    std::size_t begin_ = 0; ///< of the memory in the mapping
    std::size_t size_ = 0;
};

} // namespace keyswap::conformance
