#pragma once

/// \file Starts and ends the ranks of `keyswap sort --ranks`, independent of their work.

#include "model/ranks/communicator.hpp"
#include "tools/backends/gpu_sort.hpp"
#include "tools/build/exit_code.hpp"
#include "tools/ranks/mpi_ranks.hpp"
#include "traces/errors/input_error.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace keyswap::tools {

/// Options of the ranks.
struct RankChoice {
    std::optional<std::string> ranks; ///< "mpi", or a number of threads
    std::uint64_t timeout_s = 60;     ///< timeout of each communication step
    std::optional<GpuChoice> gpus;    ///< nullopt: sort in host memory

    [[nodiscard]] bool is_given() const { return ranks.has_value(); }
    [[nodiscard]] bool is_mpi() const { return ranks == "mpi"; }
    [[nodiscard]] std::chrono::milliseconds patience() const {
        return std::chrono::milliseconds(timeout_s * 1000);
    }
};

/// Number of ranks that are threads. \pre !is_mpi()
[[nodiscard]] Expected<std::uint32_t> thread_count(RankChoice const& choice);

/// Work of one rank. May throw.
using RankWork = std::function<Expected<ExitCode>(model::Communicator&)>;

/// Runs the ranks of this process: all of them as threads, or one under MPI.
[[nodiscard]] Expected<ExitCode> run_ranks(RankChoice const& choice, RankWork const& work);

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
