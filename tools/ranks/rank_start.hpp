#pragma once

/// \file Starts and ends the ranks of `keyswap sort --ranks`, independent of their work.

#include "model/ranks/communicator.hpp"
#include "tools/backends/gpu_sort.hpp"
#include "tools/build/exit_code.hpp"
#include "tools/ranks/mpi_ranks.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <functional>

namespace keyswap::tools {

/// Number of ranks that are threads. \pre choice.has_ranks() && !choice.is_mpi()
[[nodiscard]] Expected<std::uint32_t> thread_count(BackendChoice const& choice);

/// Work of one rank. May throw.
using RankWork = std::function<Expected<ExitCode>(model::Communicator&)>;

/// Runs the ranks of this process: all of them as threads, or one under MPI. \pre
/// choice.has_ranks()
[[nodiscard]] Expected<ExitCode> run_ranks(BackendChoice const& choice, RankWork const& work);

/// How one rank ended.
struct RankEnd {
    enum class Others {
        agreed,   ///< all ranks agreed on the result
        elsewhere ///< other ranks may wait for this one, or have ended
    };
    Expected<ExitCode> result;
    Others others = Others::agreed;
};

/// Runs the work of one rank and catches its exceptions.
[[nodiscard]] RankEnd run_rank(model::Communicator& ranks, RankWork const& work);

/// As run_rank(), for a process under mpirun: prints errors, and ends all ranks if others may be
/// waiting.
/// \param end communicator of this rank: that of `ranks`, or a wrapper of it
[[nodiscard]] ExitCode run_process(MpiRanks& ranks, model::Communicator& end, RankWork const& work);

} // namespace keyswap::tools
