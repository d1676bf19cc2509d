#pragma once

/// \file Error texts of transports for a lost rank.

#include "kernels/ranks/rank_transport.hpp"
#include "kernels/sort.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace keyswap::kernels {

[[nodiscard]] inline RankLost
lost_rank(std::string_view step, std::uint32_t rank, std::string const& problem) {
    return RankLost{std::string{step} + ": rank " + std::to_string(rank) + ' ' + problem};
}

[[nodiscard]] inline std::string timeout_text(std::chrono::milliseconds patience) {
    return "did not answer within " + std::to_string(patience.count()) + " ms";
}

/// Converts the loss of a rank to an error; `input` is the state of the caller's keys.
[[nodiscard]] inline SortError error_of(RankLost const& lost, InputState input) {
    return {SortErrorCode::rank_failure,
            std::string{lost.what()} + ". The other ranks' messages say more." +
                (input == InputState::intact ? " The input is unchanged."
                                             : " The input has been overwritten."),
            input};
}

} // namespace keyswap::kernels
