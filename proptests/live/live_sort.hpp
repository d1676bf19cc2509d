#pragma once

/// \file Runs cases on the real GPU sorts and compares them with the model.

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
    std::optional<kernels::Sorter> sorter;                   ///< nullopt if ranks are used
    std::shared_ptr<kernels::gpu_test::CallerChunks> chunks; ///< null if keys are in host memory
    std::shared_ptr<LiveRanks> ranks;
};

/// Creates the sorter for the case's options.
[[nodiscard]] kernels::SortExpected<LiveSorter> make_sorter(LiveCase const& live_case,
                                                            std::uint64_t key_count_max);

/// Sorts a case with a trace and compares everything, then again without one, so that copies and
/// sorts overlap. \returns the problem, which may be a violated contract; nullopt if there is none
/// \pre the sorter was created with the case's options; its chunks are in the case's memory space
[[nodiscard]] std::optional<std::string> check_with(LiveSorter& sorter, LiveCase const& live_case);

/// Like check_with() with a new sorter.
[[nodiscard]] std::optional<std::string> check_alone(LiveCase const& live_case);

/// Checks that a call with too many keys is refused and leaves the keys unchanged. Skipped for
/// ranks, which are called collectively.
[[nodiscard]] std::optional<std::string> check_refusal(LiveSorter& live);

} // namespace keyswap::proptests
