#pragma once

/// \file `keyswap sort --ranks`: one rank's whole part, from its share of the input to its stretch
/// of the output.

#include "tools/options/sort_request.hpp"
#include "tools/output/command_files.hpp"
#include "tools/ranks/rank_gpu.hpp"
#include "tools/ranks/rank_start.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

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

/// The part of one rank.
/// \param open gives it a GPU; empty = it sorts in host memory
[[nodiscard]] RankWork rank_work(SortRequest const& request,
                                 RankFiles const& files,
                                 RankReporter const& report,
                                 RankOpener const& open = {});

} // namespace keyswap::tools
