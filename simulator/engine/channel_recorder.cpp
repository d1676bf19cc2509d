#include "simulator/engine/channel_recorder.hpp"

#include <algorithm>

namespace keyswap::simulator {
namespace {

/// Fraction of the capacity that counts as saturated; rates are sums with rounding errors.
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
    spans_.resize(topology.channels().size());
    for (Channel const& channel : topology.channels()) {
        ChannelUse use;
        use.name = channel.name;
        use.capacity_Bps = channel.capacity_Bps;
        uses_.push_back(std::move(use));
    }
}

void ChannelRecorder::close_span(std::uint32_t channel, SimTime now) {
    Span& span = spans_[channel];
    SimTime const length = now - span.since;
    if (length.ps > 0 && span.rate_Bps > 0.0) {
        ChannelUse& use = uses_[channel];
        use.size_bytes += span.rate_Bps * to_seconds(length);
        use.peak_Bps = std::max(use.peak_Bps, span.rate_Bps);
        use.busy += length;
        if (span.rate_Bps >= full * use.capacity_Bps) {
            use.saturated += length;
            if (recording_ == ChannelRecording::samples) {
                add_span(use.saturated_spans, TimeSpan{span.since, now});
            }
        }
    }
    span.since = now;
}

void ChannelRecorder::observe(FlowSet& flows) {
    if (recording_ == ChannelRecording::none) {
        return;
    }
    for (std::uint32_t const channel : flows.take_changed_channels()) {
        double const rate = flows.use_Bps(channel);
        if (rate != spans_[channel].rate_Bps) {
            close_span(channel, flows.now());
            spans_[channel].rate_Bps = rate;
            if (recording_ == ChannelRecording::samples) {
                uses_[channel].samples.push_back(ChannelSample{flows.now(), rate});
            }
        }
    }
}

std::vector<ChannelUse> ChannelRecorder::finish(SimTime makespan) {
    for (std::uint32_t channel = 0; channel < uses_.size(); ++channel) {
        close_span(channel, makespan);
        ChannelUse& use = uses_[channel];
        use.mean_Bps = makespan.ps == 0 ? 0.0 : use.size_bytes / to_seconds(makespan);
    }
    return std::move(uses_);
}

} // namespace keyswap::simulator
