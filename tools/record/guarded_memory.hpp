#pragma once

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace keyswap::conformance {

/// An access outside a memory.
enum class MemorySide { before, after };

/// Memory that a child process shares, between two guards that nobody may touch: a write beyond its
/// end or far before its beginning kills the writer, and one within the few bytes between an end
/// and its guard is noticed afterwards.
class GuardedMemory {
  public:
    [[nodiscard]] static Expected<GuardedMemory> allocate(std::size_t size_bytes);
    GuardedMemory(GuardedMemory&& other) noexcept;
    GuardedMemory& operator=(GuardedMemory&& other) noexcept;
    ~GuardedMemory();

    /// Aligned to 64 bytes.
    [[nodiscard]] std::span<std::byte> bytes() const;
    /// The side on which bytes between the memory and its guard are not as they were, or a guard
    /// was touched by somebody who lifted its protection.
    [[nodiscard]] std::optional<MemorySide> changed_side() const;
    /// The side on which an address lies in a guard. May be called by a signal handler.
    [[nodiscard]] std::optional<MemorySide> guard_at(std::uintptr_t address) const;

    /// Of all bytes in their order, to see whether they change later.
    [[nodiscard]] std::uint64_t content_hash() const;

  private:
    [[nodiscard]] bool is_touched(std::byte const* guard) const;
    GuardedMemory() = default;
    std::byte* mapping_ = nullptr; ///< with both guards
    std::size_t mapping_size_ = 0;
    std::size_t begin_ = 0; ///< of the memory in the mapping
    std::size_t size_ = 0;
};

} // namespace keyswap::conformance
