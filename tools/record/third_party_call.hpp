#pragma once

/// \file Calls a function of a library, in a process that the call may crash.

#include "tools/record/third_party_memory.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

namespace keyswap::conformance {

/// Progress and result of the call, in shared memory: readable after the process has ended.
struct CallReport {
    enum class Stage { loading, no_library, no_function, calling, returned, threw };
    enum class Access { none, read, write, unknown };

    Stage stage = Stage::loading;
    int result = 0;              ///< return value of the function
    bool hashed = false;         ///< the memory was still mapped after the return
    std::uint64_t keys_hash = 0; ///< GuardedMemory::content_hash() after the return
    std::uint64_t values_hash = 0;
    std::int64_t duration_ns = 0;       ///< of the call
    Access guard_access = Access::none; ///< fatal access to a guard page, if any
    MemorySide guard_side = MemorySide::after;
    bool guard_of_values = false;
    std::array<char, 512> message{}; ///< error of dlopen(), or the exception's text
};

/// Loads the library and calls its function on the memory; both may crash this process.
/// \return exit status for the process; details are in the report
int call_third_party_function(std::filesystem::path const& library,
                              std::string const& function,
                              ThirdPartyMemory const& memory,
                              CallReport& report) noexcept;

} // namespace keyswap::conformance
