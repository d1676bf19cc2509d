#pragma once

/// \file Fields of a simulation, for JSON and pages.

#include "simulator/calibration/certainty.hpp"
#include "simulator/prediction/simulation.hpp"
#include "tools/text/document.hpp"
#include "tools/text/simulation_summary.hpp"

namespace keyswap::tools {

void result_fields(PhaseLine const& line, auto& field) {
    field("phase", line.name);
    field("pass", line.pass);
    field("begin_ms", simulator::to_milliseconds(line.span.begin));
    field("end_ms", simulator::to_milliseconds(line.span.end));
}

void result_fields(simulator::ChannelUse const& use, auto& field) {
    field("name", use.name);
    field("capacity_GBps", use.capacity_Bps * 1e-9);
    field("peak_GBps", use.peak_Bps * 1e-9);
    field("mean_GBps", use.mean_Bps * 1e-9);
    field("saturated_ms", simulator::to_milliseconds(use.saturated));
}

void result_fields(simulator::MachineConstant const& constant, auto& field) {
    field("name", constant.name);
    field("unit", constant.unit);
    field("value", constant.value);
    field("low", constant.low());
    field("high", constant.high());
    field("origin", constant.origin);
}

void result_fields(simulator::AssumptionEffect const& effect, auto& field) {
    field.all_of(effect.constant);
    field("low_ms", effect.low_ms);
    field("high_ms", effect.high_ms);
    field("simulated", effect.simulated);
}

void result_fields(simulator::UncertainScatter const& scatter, auto& field) {
    field("pass", scatter.pass);
    field("chance", scatter.chance);
    field("ms", simulator::to_milliseconds(scatter.duration));
    field("counted", scatter.chance >= 0.5);
}

void result_fields(simulator::SortMemory const& memory, auto& field) {
    field("buffer_bytes", memory.buffer_bytes);
    field("scratch_bytes", memory.scratch_bytes);
    field("device_bytes", memory.device_bytes());
    field("array_bytes", memory.array_bytes);
    field("host_arrays", memory.host_arrays);
}

void result_fields(simulator::MemoryUse const& use, auto& field) {
    field("memory", use.name);
    field("used_bytes", use.used_bytes);
    field("free_bytes", use.free_bytes);
}

void result_fields(simulator::MemoryFit const& fit, auto& field) {
    field.all_of(fit.sort);
    field("staging_bytes", fit.sort.staging_bytes);
    field("uses", fit.uses);
    field("keys_most", fit.keys_most);
}

} // namespace keyswap::tools
