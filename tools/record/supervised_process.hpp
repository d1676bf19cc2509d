#pragma once

/// \file Runs something in a process that is ended with all that it started: when it is done, when
/// its time is over, when Keyswap is asked to stop, and when Keyswap is no more.

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
        interrupted, ///< Keyswap was asked to stop (HeldSignals::waiting)
        unknown      ///< it ended or stopped its supervisor
    };
    How how = How::unknown;
    int value = 0;                        ///< exit status or signal
    std::size_t left_running = 0;         ///< processes that it left behind; they were killed
    bool all_ended = true;                ///< false: some could not be killed
    std::chrono::nanoseconds duration{0}; ///< from its start until its end was noticed
    std::chrono::nanoseconds ended_at{0}; ///< when that was, on the clock of files' times
    std::string output_tail;              ///< the end of what it wrote to standard output and error
};

/// What goes when Keyswap ends before a process that it supervises.
struct RemovedWithKeyswap {
    std::array<std::filesystem::path, 2> whole; ///< with all that is in it; empty: nothing
    std::filesystem::path if_empty;             ///< a folder that others use too; empty: none
};

/// Runs `work` in a process of its own session, without input, and waits for its end. Between it
/// and this process stands a supervisor, which adopts what the process leaves behind, kills it, and
/// does so too when this process is killed.
/// \param work returns the exit status; does not throw
/// \param removed by the supervisor when this process ends before it
/// \pre this process has no other threads
[[nodiscard]] Expected<SupervisedEnd> run_supervised(std::function<int()> const& work,
                                                     std::chrono::milliseconds timeout,
                                                     RemovedWithKeyswap const& removed);

} // namespace keyswap::conformance
