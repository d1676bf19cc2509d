#include "traces/records/phase.hpp"

#include <array>

namespace keyswap {

namespace {

/// In their order.
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
    constexpr std::array<std::string_view, all_phases.size()> names{
        "host to device",
        "histogram",
        "scatter",
        "planning",
        "key swap",
        "bucket sort",
        "bucket sort and device to host",
        "sort",
        "merge",
        "device to host",
        "CPU merge",
        "CPU sort"};
    static_assert(static_cast<std::size_t>(Phase::cpu_sort) + 1 == names.size());
    return names[static_cast<std::size_t>(phase)];
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
