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
    double rate_before = 0.0;
    double rate = 0.0;        // bytes a picosecond
    double picoseconds = 0.0; // a byte
    for (Slot const slot : solver_.solve()) {
        if (solver_.rate(slot) != rate_before) { // flows that share a bottleneck come in a row
            rate_before = solver_.rate(slot);
            rate = rate_before / picoseconds_per_second;
            picoseconds = picoseconds_per_second / rate_before;
        }
        Motion& motion = motions_[slot];
        if (rate == motion.rate) {
            continue;
        }
        motion.remaining -= motion.rate * static_cast<double>(now_.ps - motion.since);
        motion.remaining = std::max(motion.remaining, 0.0);
        motion.since = now_.ps;
        motion.rate = rate;
        // The nearest tick: at most half a tick before the last byte.
        ends_[slot] = now_.ps + static_cast<std::int64_t>(motion.remaining * picoseconds + 0.5);
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
    std::int64_t const* const ends = ends_.data();
    for (Slot const slot : active_) {
        first = std::min(first, ends[slot]);
    }
    due_.clear();
    for (std::size_t place = 0; place < active_.size(); ++place) {
        if (ends[active_[place]] == first) {
            due_.push_back(place);
        }
    }
    next_ = SimTime{first};
    return next_;
}

std::span<FlowEnd const> FlowSet::advance(SimTime time) {
    KEYSWAP_EXPECTS(time >= now_ && (active_.empty() || time <= next_));
    now_ = time;
    ended_.clear();
    if (time != next_) {
        return ended_;
    }
    // From the back: what fills a gap has a higher place than all that are still to go.
    for (auto place = due_.rbegin(); place != due_.rend(); ++place) {
        Slot const slot = active_[*place];
        ended_.push_back(FlowEnd{tags_[slot], now_});
        auto const age = static_cast<double>(now_.ps - starts_[slot]);
        SimTime const due{now_.ps + static_cast<std::int64_t>(tolerance_ * age)};
        rating_due_ = std::min(rating_due_, due);
        solver_.remove(slot);
        active_[*place] = active_.back();
        active_.pop_back();
    }
    due_.clear();
    std::sort(ended_.begin(), ended_.end(), [](FlowEnd const& a, FlowEnd const& b) {
        return a.tag < b.tag;
    });
    return ended_;
}

} // namespace keyswap::simulator
