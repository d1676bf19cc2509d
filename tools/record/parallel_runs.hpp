#pragma once

/// \file Tasks that processes of their own carry out, several at once. Threads would not do: what
/// forks from a process with threads may not sort with threads.

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace keyswap::conformance {

struct ParallelRuns {
    /// The next task; nullopt if no more is wanted.
    std::function<std::optional<std::uint64_t>()> next;
    /// Carries a task out, in process number 0 to jobs - 1; does not throw.
    std::function<std::string(unsigned process, std::uint64_t task)> run;
    /// Takes what run() returned, in this process; nullopt if the task's process died.
    std::function<void(std::uint64_t task, std::optional<std::string> result)> take;
};

/// Carries out all tasks. A signal that HeldSignals holds back is passed on to the processes.
/// \return an error if no process can be started
/// \pre this process has no other threads
[[nodiscard]] Expected<void> run_in_processes(unsigned jobs, ParallelRuns const& runs);

} // namespace keyswap::conformance
