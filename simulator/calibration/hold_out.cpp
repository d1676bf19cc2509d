#include "simulator/calibration/hold_out.hpp"

#include "traces/errors/error_subject.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace keyswap::simulator {

namespace {

constexpr std::array<std::pair<std::string_view, HoldOutBy>, 4> hold_out_names{
    {{"gpus", HoldOutBy::gpus},
     {"distribution", HoldOutBy::distribution},
     {"type", HoldOutBy::type},
     {"size", HoldOutBy::size}}};

std::string class_of(Measurement const& run, HoldOutBy by) {
    switch (by) {
    case HoldOutBy::gpus: {
        return joined_text(run.gpus, ",");
    }
    case HoldOutBy::distribution: {
        std::string number = std::to_string(run.parameter.value_or(0.0));
        number.erase(number.find_last_not_of('0') + 1);
        number.erase(number.find_last_not_of('.') + 1);
        bool const has_parameter =
            run.parameter && (run.distribution == "zipf" || run.distribution == "skewed");
        return run.distribution + (has_parameter ? " " + number : "");
    }
    case HoldOutBy::type:
        return run.key_type;
    case HoldOutBy::size:
        break;
    }
    return std::to_string(run.key_count);
}

/// Names of the constants that the fit determined, sorted.
std::vector<std::string> identified(Calibration const& fit) {
    std::vector<std::string> names;
    for (CalibratedConstant const& constant : fit.constants) {
        if (constant.identified) {
            names.push_back(constant.name);
        }
    }
    std::ranges::sort(names);
    return names;
}

} // namespace

Expected<HoldOutBy> parse_hold_out(std::string_view name) {
    auto const name_of = [](auto const& row) { return row.first; };
    auto const found = std::ranges::find(hold_out_names, name, name_of);
    if (found != std::end(hold_out_names)) {
        return found->second;
    }
    return input_error(setting("hold-out"),
                       "\'" + std::string(name) + "' is not a kind of class",
                       KnownNames(hold_out_names, name_of).remedy(name));
}

Expected<std::vector<HeldOutClass>> hold_out(Machine const& machine,
                                             std::span<Measurement const> runs,
                                             HoldOutBy by,
                                             CalibrationOptions const& options,
                                             SummaryFilter filter) {
    std::vector<Measurement> on_gpus;
    std::vector<std::string> classes;
    for (Measurement const& run : runs) {
        if (!run.gpus.empty()) {
            on_gpus.push_back(run);
            std::string const name = class_of(run, by);
            if (std::ranges::find(classes, name) == classes.end()) {
                classes.push_back(name);
            }
        }
    }
    KEYSWAP_TRY(auto const whole, calibrate(machine, on_gpus, options));
    std::vector<std::string> const shown = identified(whole);
    std::vector<HeldOutClass> result;
    for (std::string const& name : classes) {
        std::vector<Measurement> kept;
        std::vector<Measurement> held;
        for (Measurement const& run : on_gpus) {
            (class_of(run, by) == name ? held : kept).push_back(run);
        }
        KEYSWAP_TRY(auto const fit, calibrate(machine, kept, options));
        KEYSWAP_TRY(auto const validation, validate(fit.machine, held, Intervals::predicted));
        HeldOutClass one{name, 0, summarize(validation, filter), coverage(validation, filter), {}};
        one.configurations = one.phases.front().count;
        std::ranges::set_difference(shown, identified(fit), std::back_inserter(one.not_held_out));
        result.push_back(std::move(one));
    }
    return result;
}

} // namespace keyswap::simulator
