#pragma once

/// \file Runs shuffles (multisplits of cases with several GPUs) on the kernels and compares them
/// with the model.

#include "kernels/shuffle.hpp"
#include "proptests/live/live_case.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace keyswap::proptests {

/// \pre live_case.split
[[nodiscard]] kernels::ShuffleOptions shuffle_options(LiveCase const& live_case);

/// Keys per chunk when key_count keys are divided among the case's GPUs.
[[nodiscard]] std::uint64_t chunk_size(LiveCase const& live_case, std::uint64_t key_count);

/// Shuffles a case and compares report and output, then shuffles it again without a report.
/// \returns the problem, which may be a violated contract; nullopt if there is none
/// \pre the shuffler was created with the case's options
[[nodiscard]] std::optional<std::string> check_with(kernels::Shuffler& shuffler,
                                                    LiveCase const& live_case);

/// Like check_with() with a new shuffler, for shrinking. A refused case counts as correct, so that
/// shrinking avoids invalid cases.
[[nodiscard]] std::optional<std::string> check_shuffle_alone(LiveCase const& live_case);

/// Checks that a call with more keys than count_max is refused.
[[nodiscard]] std::optional<std::string>
check_refusal(kernels::Shuffler& shuffler, LiveCase const& live_case, std::uint64_t count_max);

} // namespace keyswap::proptests
