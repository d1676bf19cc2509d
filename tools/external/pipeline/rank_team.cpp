#include "tools/external/pipeline/rank_team.hpp"

#include "model/ranks/agreement.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace keyswap::tools {

namespace {

/// Interval between checks of the other ranks, with exponential back-off: short work is noticed
/// soon, long work costs few checks.
constexpr auto pulse_min = std::chrono::milliseconds(1);
constexpr auto pulse_max = std::chrono::milliseconds(128);

enum class State : std::uint8_t { working, done, failed };

} // namespace

Expected<void> RankTeam::agree(std::string_view step, Expected<void> const& own) const {
    return is_single_process() ? own : model::agree(*ranks_, step, own);
}

Expected<void> RankTeam::carry_out(std::string_view step,
                                   std::function<Expected<void>()> const& work) {
    if (is_single_process()) {
        return work();
    }
    others_failed_ = false;
    Expected<void> own;
    std::atomic<State> state{State::working};
    std::jthread worker([&] {
        own = work();
        state = own ? State::done : State::failed;
    });
    bool failed_here = false;
    try {
        for (auto pulse = pulse_min;; pulse = std::min(2 * pulse, pulse_max)) {
            State const now = state;
            auto const states = model::all_gather(*ranks_, step, now);
            if (std::ranges::count(states, State::failed) > 0) {
                failed_here = now == State::failed;
                others_failed_ = !failed_here;
                break;
            }
            if (std::ranges::count(states, State::working) == 0) {
                break;
            }
            std::this_thread::sleep_for(pulse);
        }
    } catch (...) {
        others_failed_ = true; // stops the worker before joining it
        throw;
    }
    worker.join();
    // An error of work that was stopped because another rank failed is not reported.
    return agree(step, failed_here || !others_failed_ ? own : Expected<void>{});
}

std::string
RankTeam::text_of(std::uint32_t rank, std::string_view step, std::string_view own) const {
    if (is_single_process()) {
        return std::string(own);
    }
    auto const sizes = model::all_gather(*ranks_, step, std::uint64_t{own.size()});
    auto const letters =
        values_of(rank, step, std::vector<char>(own.begin(), own.end()), sizes[rank]);
    return {letters.begin(), letters.end()};
}

} // namespace keyswap::tools
