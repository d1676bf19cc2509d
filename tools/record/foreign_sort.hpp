#pragma once

/// \file Runs a sort that somebody else wrote, in a process of its own: its death is a result.

#include "proptests/guarded_memory.hpp"
#include "traces/input_error.hpp"
#include "traces/key_type.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

namespace keyswap::conformance {

/// How the process of a sort ended.
enum class ChildEnd {
    returned,      ///< 0, the result can be looked at
    refused,       ///< the function or program returned another number
    killed,        ///< by a signal
    timed_out,     ///< killed by us
    out_of_bounds, ///< it wrote beside its memory
    not_started    ///< the library or function is not there
};

/// "returned", "killed by a signal" ...
[[nodiscard]] std::string_view to_string(ChildEnd end);

struct ChildOutcome {
    ChildEnd end = ChildEnd::returned;
    std::string detail; ///< signal, number or message
};

/// Keys, and values where there are any, in the memory that the function gets.
struct ForeignMemory {
    GuardedMemory keys;
    GuardedMemory values; ///< of no bytes where there are none
    KeyType key_type = KeyType::u32;
    std::uint64_t key_count = 0;
    std::uint64_t value_bytes = 0; ///< of one value; 0 = none
};

/// The function of a library: sorts `key_count` keys in place and returns 0. A function may take
/// only the first of these arguments, as C's calling conventions allow on 64-bit machines.
using ForeignFunction = int (*)(void* keys,
                                std::uint64_t key_count,
                                char const* key_type,
                                void* values,
                                std::uint64_t value_bytes);

/// Loads the library in a child process and calls its function there.
/// \pre this process has no other threads
[[nodiscard]] ChildOutcome run_library(std::filesystem::path const& library,
                                       std::string const& function,
                                       ForeignMemory const& memory,
                                       std::chrono::milliseconds timeout);

/// Runs a command of the shell in a child process.
[[nodiscard]] ChildOutcome run_command(std::string const& command,
                                       std::chrono::milliseconds timeout);

} // namespace keyswap::conformance
