#pragma once

/// \file How the ranks of `keyswap sort --ranks` start and end, whatever they do.

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

/// How ranks come to be.
struct RankChoice {
    std::optional<std::string> ranks; ///< "mpi", or a number of threads
    std::uint64_t timeout_s = 60;     ///< how long a rank waits for the others at a step
    std::optional<GpuChoice> gpus;    ///< each rank sorts on a GPU; nothing = in host memory

    [[nodiscard]] bool is_given() const { return ranks.has_value(); }
    [[nodiscard]] bool is_mpi() const { return ranks == "mpi"; }
    [[nodiscard]] std::chrono::milliseconds patience() const {
        return std::chrono::milliseconds(timeout_s * 1000);
    }
};

/// How many ranks are threads. \pre !is_mpi()
[[nodiscard]] Expected<std::uint32_t> thread_count(RankChoice const& choice);

/// The whole part of one rank. It may throw.
using RankWork = std::function<Expected<ExitCode>(model::Communicator&)>;

/// Runs every rank of the choice that lives in this process.
[[nodiscard]] Expected<ExitCode> run_ranks(RankChoice const& choice, RankWork const& work);

/// How one rank ended.
struct RankEnd {
    enum class Others {
        at_the_same_end, ///< with an error that all agreed on, or none
        elsewhere        ///< and perhaps waiting for this rank, or gone
    };
    Expected<ExitCode> result;
    Others others = Others::at_the_same_end;
};

/// One rank among any others. Throws nothing.
[[nodiscard]] RankEnd run_rank(model::Communicator& ranks, RankWork const& work);

/// The same of a process under mpirun, which says itself what went wrong, and ends all ranks where
/// others may wait for it.
/// \param end this rank's; of `ranks`, or what stands before that
[[nodiscard]] ExitCode run_process(MpiRanks& ranks, model::Communicator& end, RankWork const& work);

} // namespace keyswap::tools
