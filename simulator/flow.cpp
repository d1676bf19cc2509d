#include "simulator/flow.hpp"

#include "traces/contracts.hpp"

#include <algorithm>
#include <cmath>

namespace keyswap::simulator {

FlowSet::FlowSet(std::span<double const> capacities_Bps, double rerating_tolerance)
    : solver_(capacities_Bps), tolerance_(rerating_tolerance) {
    KEYSWAP_EXPECTS(rerating_tolerance >= 0.0);
}

void FlowSet::start(std::uint32_t tag,
                    std::span<ChannelShare const> shares,
                    double size_bytes,
                    double ceiling_Bps) {
    KEYSWAP_EXPECTS(size_bytes > 0.0);
    Slot const slot = solver_.add(shares, ceiling_Bps);
    if (slot >= motions_.size()) {
        motions_.resize(slot + 1);
        ends_.resize(slot + 1);
        starts_.resize(slot + 1);
        tags_.resize(slot + 1);
    }
    motions_[slot] = Motion{size_bytes, 0.0, now_.ps};
    ends_[slot] = sim_time_max.ps;
    starts_[slot] = now_.ps;
    tags_[slot] = tag;
    active_.push_back(slot);
    must_rate_ = true;
}

void FlowSet::rate_flows() {
    for (Slot const slot : solver_.solve()) {
        double const rate = solver_.rate(slot) / picoseconds_per_second;
        Motion& motion = motions_[slot];
        if (rate == motion.rate) {
            continue;
        }
        motion.remaining -= motion.rate * static_cast<double>(now_.ps - motion.since);
        motion.remaining = std::max(motion.remaining, 0.0);
        motion.since = now_.ps;
        motion.rate = rate;
        // Rounded up: a flow never ends before its last byte; at most one tick late.
        ends_[slot] = now_.ps + static_cast<std::int64_t>(std::ceil(motion.remaining / rate));
    }
    ++ratings_;
    must_rate_ = false;
    rating_due_ = sim_time_max;
}

SimTime FlowSet::next_event() {
    KEYSWAP_EXPECTS(!active_.empty());
    if (must_rate_ || rating_due_ <= now_) {
        rate_flows();
    }
    std::int64_t first = rating_due_.ps;
    for (Slot const slot : active_) {
        first = std::min(first, ends_[slot]);
    }
    return SimTime{first};
}

std::span<FlowEnd const> FlowSet::advance(SimTime time) {
    KEYSWAP_EXPECTS(time >= now_);
    now_ = time;
    ended_.clear();
    for (std::size_t i = 0; i < active_.size();) {
        Slot const slot = active_[i];
        KEYSWAP_EXPECTS(ends_[slot] >= now_.ps);
        if (ends_[slot] != now_.ps) {
            ++i;
            continue;
        }
        ended_.push_back(FlowEnd{tags_[slot], now_});
        auto const age = static_cast<double>(now_.ps - starts_[slot]);
        SimTime const due{now_.ps + static_cast<std::int64_t>(tolerance_ * age)};
        rating_due_ = std::min(rating_due_, due);
        solver_.remove(slot);
        active_[i] = active_.back();
        active_.pop_back();
    }
    std::sort(ended_.begin(), ended_.end(), [](FlowEnd const& a, FlowEnd const& b) {
        return a.tag < b.tag;
    });
    return ended_;
}

} // namespace keyswap::simulator
