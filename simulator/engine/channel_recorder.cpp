#include "simulator/engine/channel_recorder.hpp"

#include <algorithm>

namespace keyswap::simulator {
namespace {

/// Rates are sums of rounded numbers: full is full up to a part in 1e9.
constexpr double full = 1.0 - 1e-9;

void add_span(std::vector<TimeSpan>& spans, TimeSpan span) {
    if (!spans.empty() && spans.back().end == span.begin) {
        spans.back().end = span.end;
    } else {
        spans.push_back(span);
    }
}

} // namespace

ChannelRecorder::ChannelRecorder(Topology const& topology, ChannelRecording recording)
    : recording_(recording) {
    if (recording == ChannelRecording::none) {
        return;
    }
    rates_.resize(topology.channels().size(), 0.0);
    for (Channel const& channel : topology.channels()) {
        ChannelUse use;
        use.name = channel.name;
        use.capacity_Bps = channel.capacity_Bps;
        uses_.push_back(std::move(use));
    }
}

void ChannelRecorder::close_span(SimTime now) {
    SimTime const length = now - since_;
    if (length.ps == 0) {
        return;
    }
    for (std::size_t i = 0; i < uses_.size(); ++i) {
        if (rates_[i] == 0.0) {
            continue;
        }
        ChannelUse& use = uses_[i];
        use.size_bytes += rates_[i] * to_seconds(length);
        use.peak_Bps = std::max(use.peak_Bps, rates_[i]);
        use.busy += length;
        if (rates_[i] >= full * use.capacity_Bps) {
            use.saturated += length;
            if (recording_ == ChannelRecording::samples) {
                add_span(use.saturated_spans, TimeSpan{since_, now});
            }
        }
    }
    since_ = now;
}

void ChannelRecorder::observe(FlowSet const& flows) {
    if (recording_ == ChannelRecording::none) {
        return;
    }
    close_span(flows.now());
    for (std::uint32_t channel = 0; channel < uses_.size(); ++channel) {
        double const rate = flows.use_Bps(channel);
        if (rate != rates_[channel]) {
            rates_[channel] = rate;
            if (recording_ == ChannelRecording::samples) {
                uses_[channel].samples.push_back(ChannelSample{flows.now(), rate});
            }
        }
    }
}

std::vector<ChannelUse> ChannelRecorder::finish(SimTime makespan) {
    close_span(makespan);
    for (ChannelUse& use : uses_) {
        use.mean_Bps = makespan.ps == 0 ? 0.0 : use.size_bytes / to_seconds(makespan);
    }
    return std::move(uses_);
}

} // namespace keyswap::simulator
