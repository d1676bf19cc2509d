#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace keyswap {

/// Writes all bytes, whatever part of them each system call takes.
/// \param offset in the file; nullopt: at the descriptor's position
/// \return 0, or errno
[[nodiscard]] int write_fully(int descriptor,
                              std::span<char const> bytes,
                              std::optional<std::uint64_t> offset = std::nullopt);

} // namespace keyswap
