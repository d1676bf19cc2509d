#pragma once

/// \file `keyswap sort --ranks`: one rank's whole part, from its share of the input to its stretch
/// of the output.

#include "model/ranks/communicator.hpp"
#include "tools/build/exit_code.hpp"
#include "tools/options/sort_request.hpp"
#include "tools/output/command_files.hpp"
#include "tools/ranks/mpi_ranks.hpp"
#include "tools/ranks/rank_gpu.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// How ranks come to be.
struct RankChoice {
    std::optional<std::string> ranks; ///< "mpi", or a number of threads
    std::uint64_t timeout_s = 60;     ///< how long a rank waits for the others at a step
    std::optional<GpuChoice> gpus;    ///< each rank sorts on a GPU; nothing = in host memory

    [[nodiscard]] bool is_given() const { return ranks.has_value(); }
};

/// What `sort --ranks` writes. A path with "{rank}" in it is one file a rank.
struct RankFiles {
    std::optional<std::string> output;
    std::optional<std::string> output_format;
    std::optional<std::string> output_values;
    std::optional<std::string> record;
};

/// The result of a sort by ranks, reported by rank 0.
struct RankAccount {
    std::uint32_t rank_count = 0;
    std::vector<std::uint64_t> owned; ///< [rank] keys
    std::vector<VerdictRecord> verdicts;
    MultisetDigest content; ///< of all keys
    std::uint64_t passes = 0;
    double seconds = 0;    ///< planning, exchange and sort of the slowest rank
    std::string transport; ///< what moved keys between GPUs; empty if there were none

    [[nodiscard]] bool holds() const {
        return std::ranges::all_of(verdicts, &VerdictRecord::holds);
    }
};

/// Reports the result. Rank 0 alone calls it, once all is written.
using RankReporter = std::function<void(SortRequest const&, RankAccount const&)>;

/// Runs every rank of the choice that lives in this process.
/// \param request understood, its keys not counted yet
[[nodiscard]] Expected<ExitCode> sort_by_ranks(SortRequest const& request,
                                               RankChoice const& choice,
                                               RankFiles const& files,
                                               RankReporter const& report);

/// How one rank ended.
struct RankEnd {
    enum class Others {
        at_the_same_end, ///< with an error that all agreed on, or none
        elsewhere        ///< and perhaps waiting for this rank, or gone
    };
    Expected<ExitCode> result;
    Others others = Others::at_the_same_end;
};

/// The whole part of one rank, among any others. Throws nothing.
/// \param open gives it a GPU; empty = it sorts in host memory
[[nodiscard]] RankEnd run_rank(model::Communicator& ranks,
                               SortRequest const& request,
                               RankFiles const& files,
                               RankReporter const& report,
                               RankOpener const& open = {});

/// The same of a process under mpirun, which says itself what went wrong, and ends all ranks where
/// others may wait for it.
/// \param end this rank's; of `ranks`, or what stands before that
[[nodiscard]] ExitCode run_process(MpiRanks& ranks,
                                   model::Communicator& end,
                                   SortRequest const& request,
                                   RankFiles const& files,
                                   RankReporter const& report,
                                   RankOpener const& open = {});

} // namespace keyswap::tools
