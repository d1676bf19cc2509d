#pragma once

/// \file Runs a sort that somebody else wrote, in a process of its own: its death is a result.

#include "tools/record/foreign_memory.hpp"
#include "tools/record/supervised_process.hpp"
#include "traces/errors/input_error.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace keyswap::conformance {

/// How the process of a sort ended.
enum class ChildEnd {
    returned,      ///< 0, the result can be looked at
    refused,       ///< the function or program returned another number, or threw
    exited,        ///< the function ended its process instead of returning
    killed,        ///< by a signal
    timed_out,     ///< killed by us
    out_of_bounds, ///< it wrote or read outside its memory
    not_started,   ///< the library, function or command is not there
    interrupted,   ///< Keyswap was asked to stop
    unknown        ///< it ended the process that watched it
};

/// "returned", "killed by a signal" ...
[[nodiscard]] std::string_view to_string(ChildEnd end);

struct ChildOutcome {
    ChildEnd end = ChildEnd::returned;
    std::string detail;                   ///< signal, number or message
    std::string output_tail;              ///< the end of what it wrote to standard output and error
    std::size_t left_running = 0;         ///< processes that it left behind; they were ended
    std::chrono::nanoseconds duration{0}; ///< of the function's call; of a command as a whole
    std::chrono::nanoseconds ended_at{0}; ///< on the clock of files' times
};

/// Limits of one run.
struct ChildLimits {
    std::chrono::milliseconds timeout{60'000};
    RemovedWithKeyswap removed;
};

/// Loads the library in a child process and calls its function there.
/// \return an error if no process can be started
/// \pre this process has no other threads
[[nodiscard]] Expected<ChildOutcome> run_library(std::filesystem::path const& library,
                                                 std::string const& function,
                                                 ForeignMemory const& memory,
                                                 ChildLimits const& limits);

/// Runs a command of the shell in a child process.
[[nodiscard]] Expected<ChildOutcome> run_command(std::string const& command,
                                                 ChildLimits const& limits);

} // namespace keyswap::conformance
