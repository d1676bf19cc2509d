#pragma once

/// \file `keyswap sort --ranks`: everything that one rank does, from its share of the input to its
/// share of the output.

#include "tools/options/sort_request.hpp"
#include "tools/output/command_files.hpp"
#include "tools/ranks/rank_gpu.hpp"
#include "tools/ranks/rank_start.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
#include <string>

namespace keyswap::tools {

/// Files that `sort` writes; with --ranks, a path with "{rank}" names one file per rank.
struct SortFiles {
    std::optional<std::string> output;
    std::optional<std::string> output_format;
    std::optional<std::string> output_values;
    std::optional<std::string> record;
};

/// Prints the result. Called by rank 0 only, once all files are written.
using RankReporter = std::function<void(SortRequest const&, RankAccount const&)>;

/// Runs the ranks of this process: all of them as threads, or one under MPI.
/// \param request resolved, except its key count
[[nodiscard]] Expected<ExitCode> sort_by_ranks(SortRequest const& request,
                                               BackendChoice const& choice,
                                               SortFiles const& files,
                                               RankReporter const& report);

/// Work of one rank.
/// \param open opens the rank's GPU; empty: sorts in host memory
[[nodiscard]] RankWork rank_work(SortRequest const& request,
                                 SortFiles const& files,
                                 RankReporter const& report,
                                 RankOpener const& open = {});

} // namespace keyswap::tools
