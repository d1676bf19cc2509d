#pragma once

/// \file Cases carried out by the real sorts on GPUs, and compared with the model.

#include "kernels/sort.hpp"
#include "proptests/live/live_case.hpp"

#include <memory>
#include <optional>
#include <string>

namespace keyswap::kernels::gpu_test {
class CallerChunks;
} // namespace keyswap::kernels::gpu_test

namespace keyswap::proptests {

[[nodiscard]] kernels::SortOptions sort_options(LiveCase const& live_case);

class LiveRanks;

/// The sorter of a session, or its ranks.
struct LiveSorter {
    std::optional<kernels::Sorter> sorter;                   ///< nullopt: ranks
    std::shared_ptr<kernels::gpu_test::CallerChunks> chunks; ///< null: in host memory
    std::shared_ptr<LiveRanks> ranks;
};

/// A sorter of the case's options.
[[nodiscard]] kernels::SortExpected<LiveSorter> make_sorter(LiveCase const& live_case,
                                                            std::uint64_t key_count_max);

/// Sorts a case with a trace, compares everything, and sorts it again without one, where copies and
/// sorts overlap. \returns what is wrong; a broken contract of the kernels is a finding too
/// \pre the sorter is of the case's options, and its chunks are where the case lies
[[nodiscard]] std::optional<std::string> check_with(LiveSorter& sorter, LiveCase const& live_case);

/// The same with a sorter of its own.
[[nodiscard]] std::optional<std::string> check_alone(LiveCase const& live_case);

/// A call that is too large has to be refused with the keys as they were. Ranks, which are asked
/// all at once, are not asked that.
[[nodiscard]] std::optional<std::string> check_refusal(LiveSorter& live);

} // namespace keyswap::proptests
