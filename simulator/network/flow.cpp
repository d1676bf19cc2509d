#include "simulator/network/flow.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace keyswap::simulator {

namespace {

/// Flow durations are clamped to the limit above which runs are refused; this avoids overflow.
constexpr auto ticks_max = static_cast<double>(sim_time_limit.ps);

} // namespace

FlowSet::FlowSet(std::span<double const> capacities_Bps, double rate_tolerance)
    : solver_(capacities_Bps), tolerance_(rate_tolerance) {
    KEYSWAP_EXPECTS(rate_tolerance >= 0.0);
}

FlowSet::Slot FlowSet::start(std::uint32_t tag,
                             std::span<ChannelShare const> shares,
                             double size_bytes,
                             double ceiling_Bps) {
    KEYSWAP_EXPECTS(size_bytes > 0.0);
    Slot const slot = solver_.add(shares, ceiling_Bps);
    if (slot >= motions_.size()) {
        motions_.resize(slot + 1);
        starts_.resize(slot + 1);
        tags_.resize(slot + 1);
        places_.resize(slot + 1);
    }
    motions_[slot] = Motion{size_bytes, 0.0, now_.ps};
    ends_.push_back(sim_time_max.ps);
    starts_[slot] = now_.ps;
    tags_[slot] = tag;
    places_[slot] = active_.size();
    active_.push_back(slot);
    must_solve_ = true;
    return slot;
}

FlowSet::Slot
FlowSet::restart(Slot slot, std::span<ChannelShare const> shares, double ceiling_Bps) {
    Motion const& motion = motions_[slot];
    double const moved = motion.rate * static_cast<double>(now_.ps - motion.since);
    // The flow has not ended, so at least a fraction of a byte is left.
    double const rest = std::max(motion.remaining - moved, std::numeric_limits<double>::min());
    std::int64_t const started = starts_[slot];
    std::uint32_t const tag = tags_[slot];
    forget(slot);
    Slot const again = start(tag, shares, rest, ceiling_Bps);
    starts_[again] = started;
    return again;
}

void FlowSet::forget(Slot slot) {
    solver_.remove(slot);
    places_[active_.back()] = places_[slot];
    active_[places_[slot]] = active_.back();
    active_.pop_back();
    ends_[places_[slot]] = ends_.back();
    ends_.pop_back();
}

void FlowSet::solve_rates() {
    double rate_before = 0.0;
    double rate = 0.0;        // bytes per picosecond
    double picoseconds = 0.0; // per byte
    for (Slot const slot : solver_.solve()) {
        if (solver_.rate(slot) != rate_before) { // flows of one bottleneck are consecutive
            rate_before = solver_.rate(slot);
            rate = rate_before / picoseconds_per_second;
            picoseconds = picoseconds_per_second / rate_before;
        }
        Motion& motion = motions_[slot];
        if (rate == motion.rate) {
            continue;
        }
        solver_.note_changed(slot);
        motion.remaining -= motion.rate * static_cast<double>(now_.ps - motion.since);
        motion.remaining = std::max(motion.remaining, 0.0);
        motion.since = now_.ps;
        motion.rate = rate;
        // Rounds to the nearest tick. The cast truncates; std::llround would be a call in the
        // innermost loop.
        double const ticks = std::min(motion.remaining * picoseconds + 0.5, ticks_max);
        ends_[places_[slot]] = now_.ps + static_cast<std::int64_t>(ticks);
    }
    ++solves_;
    must_solve_ = false;
    solve_due_ = sim_time_max;
}

/// Lists all ends up to the latest possible due time of the next solution, first end * (1 + t).
void FlowSet::find_upcoming() {
    std::int64_t const first = *std::min_element(ends_.begin(), ends_.end());
    auto const horizon = first + static_cast<std::int64_t>(tolerance_ * static_cast<double>(first));
    upcoming_.clear();
    next_upcoming_ = 0;
    for (std::size_t place = 0; place < ends_.size(); ++place) {
        if (ends_[place] <= horizon) {
            upcoming_.emplace_back(ends_[place], active_[place]);
        }
    }
    std::sort(upcoming_.begin(), upcoming_.end());
}

SimTime FlowSet::next_event() {
    KEYSWAP_EXPECTS(!active_.empty());
    if (must_solve_ || solve_due_ <= now_) {
        solve_rates();
        find_upcoming();
    }
    bool const ends_first =
        next_upcoming_ < upcoming_.size() && upcoming_[next_upcoming_].first <= solve_due_.ps;
    return ends_first ? SimTime{upcoming_[next_upcoming_].first} : solve_due_;
}

std::span<std::uint32_t const> FlowSet::advance(SimTime time) {
    KEYSWAP_EXPECTS(time >= now_);
    now_ = time;
    ended_.clear();
    for (; next_upcoming_ < upcoming_.size() && upcoming_[next_upcoming_].first <= now_.ps;
         ++next_upcoming_) {
        Slot const slot = upcoming_[next_upcoming_].second;
        KEYSWAP_EXPECTS(upcoming_[next_upcoming_].first == now_.ps);
        ended_.push_back(tags_[slot]);
        auto const age = static_cast<double>(now_.ps - starts_[slot]);
        SimTime const due{now_.ps + static_cast<std::int64_t>(tolerance_ * age)};
        solve_due_ = std::min(solve_due_, due);
        forget(slot);
    }
    std::ranges::sort(ended_);
    return ended_;
}

} // namespace keyswap::simulator
