#pragma once

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace keyswap::conformance {

/// Side of an access outside the memory.
enum class MemorySide { before, after };

/// Memory shared with a child process, between two inaccessible guards. A write past its end or far
/// before its start kills the writer; a write to the slack bytes between memory and guard is
/// detected afterwards by changed_side().
class GuardedMemory {
  public:
    [[nodiscard]] static Expected<GuardedMemory> allocate(std::size_t size_bytes);
    GuardedMemory(GuardedMemory&& other) noexcept;
    GuardedMemory& operator=(GuardedMemory&& other) noexcept;
    ~GuardedMemory();

    /// Start address is a multiple of 64.
    [[nodiscard]] std::span<std::byte> bytes() const;
    /// Side on which slack bytes have changed, or a guard was touched after its protection was
    /// removed; nullopt if none.
    [[nodiscard]] std::optional<MemorySide> changed_side() const;
    /// Side of the guard that holds an address; nullopt if none. Async-signal-safe.
    [[nodiscard]] std::optional<MemorySide> guard_at(std::uintptr_t address) const;

    /// Hash of all bytes, to detect later changes.
    [[nodiscard]] std::uint64_t content_hash() const;

  private:
    [[nodiscard]] bool is_touched(std::byte const* guard) const;
    GuardedMemory() = default;
    std::byte* mapping_ = nullptr; ///< including both guards
    std::size_t mapping_size_ = 0;
    std::size_t begin_ = 0; ///< offset of the memory in the mapping
    std::size_t size_ = 0;
};

} // namespace keyswap::conformance
