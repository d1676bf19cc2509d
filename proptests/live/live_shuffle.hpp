#pragma once

/// \file Shuffles carried out by the kernels, and compared with the model: multisplits of cases
/// that have several GPUs.

#include "kernels/shuffle.hpp"
#include "proptests/live/live_case.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace keyswap::proptests {

/// \pre live_case.split
[[nodiscard]] kernels::ShuffleOptions shuffle_options(LiveCase const& live_case);

/// Keys of a chunk where so many are shared out.
[[nodiscard]] std::uint64_t chunk_size(LiveCase const& live_case, std::uint64_t key_count);

/// Shuffles a case and compares the report and the output, then shuffles it again
/// without a report. \returns what is wrong; a broken contract of the kernels is a finding too
/// \pre the shuffler is of the case's options
[[nodiscard]] std::optional<std::string> check_with(kernels::Shuffler& shuffler,
                                                    LiveCase const& live_case);

/// The same with a shuffler of its own, for shrinking: nothing is wrong with a case that is
/// refused.
[[nodiscard]] std::optional<std::string> check_shuffle_alone(LiveCase const& live_case);

/// A call that is too large has to be refused.
[[nodiscard]] std::optional<std::string>
check_refusal(kernels::Shuffler& shuffler, LiveCase const& live_case, std::uint64_t count_max);

} // namespace keyswap::proptests
