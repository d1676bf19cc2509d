#pragma once

/// \file Runs a function in a child process and kills it with all its descendants when it ends, on
/// timeout, on a request to stop, and when Keyswap itself dies.

#include "traces/errors/input_error.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

namespace keyswap::conformance {

/// How a supervised process ended.
struct SupervisedEnd {
    enum class How {
        exited,
        killed, ///< by a signal
        timed_out,
        interrupted, ///< request to stop (DeferredSignals::waiting)
        unknown      ///< it killed or stopped its supervisor
    };
    How how = How::unknown;
    int value = 0;                        ///< exit status or signal
    std::size_t left_running = 0;         ///< processes that it left behind; killed
    bool all_ended = true;                ///< false: some could not be killed
    std::chrono::nanoseconds duration{0}; ///< from its start until its end was detected
    std::chrono::nanoseconds ended_at{0}; ///< CLOCK_REALTIME of that, comparable with file times
    std::string output_tail;              ///< end of its standard output and error
};

/// Files that the supervisor removes if Keyswap dies before the supervised process.
struct RemovedWithKeyswap {
    std::array<std::filesystem::path, 2> whole; ///< removed recursively; empty: none
    std::filesystem::path if_empty;             ///< a shared folder, removed if empty; empty: none
};

/// Runs `work` in a child process with its own session and no input, and waits for its end. A
/// supervisor process in between adopts and kills the processes that `work` leaves behind; it also
/// does so if this process is killed.
/// \param work returns the exit status; does not throw
/// \param removed files that the supervisor removes if this process dies first
/// \pre this process has no other threads
[[nodiscard]] Expected<SupervisedEnd> run_supervised(std::function<int()> const& work,
                                                     std::chrono::milliseconds timeout,
                                                     RemovedWithKeyswap const& removed);

} // namespace keyswap::conformance
