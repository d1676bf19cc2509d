#include "traces/records/phase.hpp"

#include "traces/errors/contracts.hpp"

#include <array>

namespace keyswap {

namespace {

constexpr std::array all_phases{Phase::host_to_device,
                                Phase::histogram,
                                Phase::scatter,
                                Phase::planning,
                                Phase::key_swap,
                                Phase::bucket_sort,
                                Phase::bucket_sort_and_copy_back,
                                Phase::sort,
                                Phase::merge,
                                Phase::device_to_host,
                                Phase::cpu_merge,
                                Phase::cpu_sort};

} // namespace

std::string_view to_string(Phase phase) {
    switch (phase) {
    case Phase::host_to_device:
        return "host to device";
    case Phase::histogram:
        return "histogram";
    case Phase::scatter:
        return "scatter";
    case Phase::planning:
        return "planning";
    case Phase::key_swap:
        return "key swap";
    case Phase::bucket_sort:
        return "bucket sort";
    case Phase::bucket_sort_and_copy_back:
        return "bucket sort and device to host";
    case Phase::sort:
        return "sort";
    case Phase::merge:
        return "merge";
    case Phase::device_to_host:
        return "device to host";
    case Phase::cpu_merge:
        return "CPU merge";
    case Phase::cpu_sort:
        return "CPU sort";
    }
    bool const every_phase_has_a_text = false;
    KEYSWAP_ENSURES(every_phase_has_a_text);
    return {};
}

std::optional<Phase> phase_of(std::string_view text) {
    for (Phase const phase : all_phases) {
        if (to_string(phase) == text) {
            return phase;
        }
    }
    return std::nullopt;
}

std::span<Phase const> phases() {
    return all_phases;
}

PhaseName PhaseName::of(std::string text) {
    PhaseName name;
    if (auto const phase = phase_of(text)) {
        name.name_ = *phase;
    } else {
        name.name_ = std::move(text);
    }
    return name;
}

std::optional<Phase> PhaseName::phase() const {
    auto const* phase = std::get_if<Phase>(&name_);
    return phase == nullptr ? std::nullopt : std::optional(*phase);
}

std::string_view PhaseName::text() const {
    auto const* text = std::get_if<std::string>(&name_);
    return text == nullptr ? to_string(std::get<Phase>(name_)) : std::string_view(*text);
}

} // namespace keyswap
