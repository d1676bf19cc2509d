#pragma once

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace keyswap::tools {

/// Bytes that a program can still take without swapping: what the kernel says, or what the control
/// group leaves where that is less. Nothing where neither is known.
[[nodiscard]] std::optional<std::uint64_t> available_memory_bytes();

/// While it lives, so much is available: for tests of what is chosen by it. One at a time.
class PretendedMemory {
  public:
    explicit PretendedMemory(std::uint64_t bytes);
    PretendedMemory(PretendedMemory const&) = delete;
    PretendedMemory& operator=(PretendedMemory const&) = delete;
    ~PretendedMemory();
};

/// MemAvailable of the text of /proc/meminfo, in bytes; nullopt if it is not there.
[[nodiscard]] std::optional<std::uint64_t> available_bytes_of_meminfo(std::string_view text);

/// Refuses what does not fit, before it is allocated: Linux promises memory that it does not have,
/// and ends the program once it is used.
/// \param subject what is too large, for instance "--keys 3000000000"
/// \param bytes_per_key of all arrays together
/// \param available what is available; nothing is refused if it is unknown
[[nodiscard]] Expected<void> expect_memory_for(std::string const& subject,
                                               std::uint64_t key_count,
                                               std::uint64_t bytes_per_key,
                                               std::optional<std::uint64_t> available);

} // namespace keyswap::tools
