#pragma once

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace keyswap::tools {

/// Bytes that a program can allocate without swapping: the minimum of MemAvailable and what the
/// control group and the limit of address space (ulimit -v) leave. nullopt if all are unknown.
[[nodiscard]] std::optional<std::uint64_t> available_memory_bytes();

/// For tests: overrides available_memory_bytes() during its lifetime. At most one instance.
class AvailableMemoryOverride {
  public:
    explicit AvailableMemoryOverride(std::uint64_t bytes);
    AvailableMemoryOverride(AvailableMemoryOverride const&) = delete;
    AvailableMemoryOverride& operator=(AvailableMemoryOverride const&) = delete;
    ~AvailableMemoryOverride();
};

/// Value of MemAvailable in the text of /proc/meminfo, in bytes; nullopt if absent.
[[nodiscard]] std::optional<std::uint64_t> available_bytes_of_meminfo(std::string_view text);

/// Returns an error, before allocation, if the arrays do not fit into memory: Linux overcommits,
/// and kills the process when it touches the pages.
/// \param subject option to name in the error, for instance "--keys 3000000000"
/// \param bytes_per_key over all arrays
/// \param available bytes; nullopt: unknown, no error
[[nodiscard]] Expected<void> expect_memory_for(std::string const& subject,
                                               std::uint64_t key_count,
                                               std::uint64_t bytes_per_key,
                                               std::optional<std::uint64_t> available);

} // namespace keyswap::tools
