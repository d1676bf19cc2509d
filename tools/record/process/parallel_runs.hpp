#pragma once

/// \file Runs tasks in several worker processes. Not in threads: a sort forked from a
/// multi-threaded process may be unable to start threads.

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace keyswap::conformance {

struct ParallelRuns {
    /// Returns the next task; nullopt if there is none.
    std::function<std::optional<std::uint64_t>()> next;
    /// Runs a task in worker process [0, jobs); does not throw.
    std::function<std::string(unsigned process, std::uint64_t task)> run;
    /// Receives run()'s result, in this process; nullopt if the worker died.
    std::function<void(std::uint64_t task, std::optional<std::string> result)> take;
};

/// Runs all tasks. Forwards signals held by DeferredSignals to the workers.
/// \return an error if no process can be started
/// \pre this process has no other threads
[[nodiscard]] Expected<void> run_in_processes(unsigned jobs, ParallelRuns const& runs);

} // namespace keyswap::conformance
