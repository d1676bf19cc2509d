#pragma once

/// \file The call of a library's function, in the process that may die of it.

#include "tools/record/foreign_memory.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

namespace keyswap::conformance {

/// How far the call came, written by the process that makes it and read after its end.
struct CallReport {
    enum class Stage { loading, no_library, no_function, calling, returned, threw };
    enum class Access { none, read, write, unknown };

    Stage stage = Stage::loading;
    int result = 0;              ///< what the function returned
    bool hashed = false;         ///< the memory was still there when it had returned
    std::uint64_t keys_hash = 0; ///< GuardedMemory::content_hash() then
    std::uint64_t values_hash = 0;
    std::int64_t duration_ns = 0;       ///< of its call
    Access guard_access = Access::none; ///< of a guard of the keys or values, which killed it
    MemorySide guard_side = MemorySide::after;
    bool guard_of_values = false;
    std::array<char, 512> message{}; ///< why the library cannot be loaded; what was thrown
};

/// Loads the library and calls its function on the memory.
/// \return an exit status; the report says more
int call_foreign_function(std::filesystem::path const& library,
                          std::string const& function,
                          ForeignMemory const& memory,
                          CallReport& report) noexcept;

} // namespace keyswap::conformance
