#pragma once

/// \file Runs a third-party sort in a process of its own: a crash is a result, not an error.

#include "tools/record/process/supervised_process.hpp"
#include "tools/record/third_party_memory.hpp"
#include "traces/errors/input_error.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace keyswap::conformance {

/// How the process of a sort ended.
enum class ChildEnd {
    returned,      ///< 0; its result can be checked
    refused,       ///< a nonzero status, or an exception
    exited,        ///< the function ended the process instead of returning
    killed,        ///< by a signal
    timed_out,     ///< killed by Keyswap
    out_of_bounds, ///< accessed memory outside its arrays
    not_started,   ///< library, function or command not found
    interrupted,   ///< Keyswap was asked to stop
    unknown        ///< the supervisor died
};

/// Text for messages: "returned", "killed by a signal" ...
[[nodiscard]] std::string_view to_string(ChildEnd end);

struct ProcessResult {
    ChildEnd end = ChildEnd::returned;
    std::string detail;                   ///< signal, exit status or message
    std::string output_tail;              ///< end of its standard output and error
    std::size_t left_running = 0;         ///< processes that it left behind; killed
    std::chrono::nanoseconds duration{0}; ///< of the function call, or of the whole command
    std::chrono::nanoseconds ended_at{0}; ///< CLOCK_REALTIME, comparable with file times
};

/// Loads the library in a child process and calls its function there.
/// \param removed files to remove if Keyswap dies during the run
/// \return an error if no process can be started
/// \pre this process has no other threads
[[nodiscard]] Expected<ProcessResult> run_library(std::filesystem::path const& library,
                                                  std::string const& function,
                                                  ThirdPartyMemory const& memory,
                                                  std::chrono::milliseconds timeout,
                                                  RemovedWithKeyswap const& removed);

/// Runs a shell command in a child process.
[[nodiscard]] Expected<ProcessResult> run_command(std::string const& command,
                                                  std::chrono::milliseconds timeout,
                                                  RemovedWithKeyswap const& removed);

} // namespace keyswap::conformance
