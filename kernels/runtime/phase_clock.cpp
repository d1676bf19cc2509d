#include "kernels/runtime/phase_clock.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace keyswap::kernels {

namespace {

std::int64_t nanoseconds_between(Event const& begin, Event const& end) {
    return std::llround(end.milliseconds_since(begin) * 1e6);
}

} // namespace

void PhaseClock::restart(PhaseTiming timing) {
    for (Timed& phase : phases_) {
        give_back(phase.begin);
        give_back(phase.end);
    }
    for (DeviceEvent& start : starts_) {
        give_back(start);
    }
    phases_.clear();
    starts_.clear();
    timing_ = timing;
}

PhaseClock::DeviceEvent PhaseClock::take(int device) {
    auto& spare = spare_[device];
    if (spare.empty()) {
        return {device, Event{device, EventTiming::on}};
    }
    DeviceEvent taken{device, std::move(spare.back())};
    spare.pop_back();
    return taken;
}

void PhaseClock::give_back(DeviceEvent& event) {
    if (event.event.get() != nullptr) {
        spare_[event.device].push_back(std::move(event.event));
    }
}

void PhaseClock::start(GpuId gpu, int device, cudaStream_t stream) {
    if (timing_ == PhaseTiming::off) {
        return;
    }
    starts_.resize(std::max<std::size_t>(starts_.size(), gpu.value + 1));
    starts_[gpu.value] = take(device);
    starts_[gpu.value].event.record(stream);
}

OpenPhase
PhaseClock::begin(GpuId gpu, int device, cudaStream_t stream, keyswap::Phase phase, int pass) {
    if (timing_ == PhaseTiming::off) {
        return {};
    }
    phases_.push_back({{gpu, phase, pass, 0, 0}, take(device), take(device)});
    phases_.back().begin.event.record(stream);
    return {phases_.size() - 1, stream};
}

void PhaseClock::end(OpenPhase const& phase) {
    if (timing_ == PhaseTiming::on) {
        phases_[phase.number].end.event.record(phase.stream);
    }
}

std::vector<PhaseTimeRecord> PhaseClock::times() const {
    std::vector<PhaseTimeRecord> records;
    records.reserve(phases_.size());
    for (Timed const& phase : phases_) {
        PhaseTimeRecord record = phase.record;
        Event const& start = starts_[record.gpu.value].event;
        record.begin_ns = nanoseconds_between(start, phase.begin.event);
        record.end_ns = nanoseconds_between(start, phase.end.event);
        records.push_back(record);
    }
    std::stable_sort(
        records.begin(), records.end(), [](auto const& a, auto const& b) { return a.gpu < b.gpu; });
    return records;
}

} // namespace keyswap::kernels
