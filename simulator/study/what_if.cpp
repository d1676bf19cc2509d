#include "simulator/study/what_if.hpp"

#include "simulator/platform/units.hpp"
#include "simulator/study/prediction.hpp"
#include "traces/catalog/catalog.hpp"

#include <tbb/parallel_for.h>

#include <charconv>
#include <cmath>

namespace keyswap::simulator {

namespace {

/// The combination number `index`, its last list varying fastest.
class Odometer {
  public:
    explicit Odometer(std::size_t index) : rest_(index) {}

    template <class T>
    T const& pick(std::vector<T> const& list) {
        std::size_t const place = rest_ % list.size();
        rest_ /= list.size();
        return list[place];
    }

  private:
    std::size_t rest_;
};

/// Product of the lists' sizes, or nothing beyond the limit.
std::optional<std::size_t> combinations(WhatIfSweep const& sweep) {
    std::size_t product = 1;
    for (std::size_t const size : {sweep.algorithms.size(),
                                   sweep.key_counts.size(),
                                   sweep.key_types.size(),
                                   sweep.distributions.size(),
                                   sweep.parameters.size(),
                                   sweep.digit_bits.size(),
                                   sweep.tolerances_ppm.size(),
                                   sweep.fuses_ppm.size(),
                                   sweep.link_changes.size(),
                                   sweep.gpu_sets.size()}) {
        if (size == 0 || product > what_if_rows_max / size) {
            return std::nullopt;
        }
        product *= size;
    }
    return product;
}

/// Of a sort by its full name; one without tolerance keeps the field's own.
std::uint32_t standard_tolerance(std::string const& algorithm) {
    auto const choice = parse_full_name(algorithm);
    auto const* const parameter =
        choice ? find_parameter(*choice->algorithm, "tolerance-ppm") : nullptr;
    return parameter == nullptr ? SortParameters{}.tolerance_ppm
                                : static_cast<std::uint32_t>(parameter->standard);
}

WhatIfRow row_of(WhatIfSweep const& sweep, std::size_t index, std::size_t& change) {
    Odometer odometer(index);
    WhatIfRow row;
    SimulationRequest& request = row.request;
    request.gpus = odometer.pick(sweep.gpu_sets);
    auto const& picked = odometer.pick(sweep.link_changes);
    row.link_change = picked;
    change = static_cast<std::size_t>(&picked - sweep.link_changes.data());
    request.config.fuse_ppm = odometer.pick(sweep.fuses_ppm);
    auto const tolerance_ppm = odometer.pick(sweep.tolerances_ppm);
    request.config.digit_bits = odometer.pick(sweep.digit_bits);
    request.parameter = odometer.pick(sweep.parameters);
    request.distribution = odometer.pick(sweep.distributions);
    request.config.key_type = odometer.pick(sweep.key_types);
    request.config.key_count = odometer.pick(sweep.key_counts);
    request.algorithm = odometer.pick(sweep.algorithms);
    request.config.tolerance_ppm = tolerance_ppm.value_or(standard_tolerance(request.algorithm));
    request.config.value_type = sweep.value_type;
    request.residence = sweep.residence;
    request.host_node = sweep.host_node;
    request.seed = sweep.seed;
    return row;
}

} // namespace

Expected<LinkChange> parse_link_change(std::string_view text) {
    std::size_t const split = text.rfind(" x");
    double factor = 0.0;
    if (split != std::string_view::npos && split > 0) {
        std::string_view const number = text.substr(split + 2);
        auto const [end, code] =
            std::from_chars(number.data(), number.data() + number.size(), factor);
        if (code == std::errc{} && end == number.data() + number.size() && std::isfinite(factor) &&
            factor > 0.0) {
            return LinkChange{std::string(text.substr(0, split)), factor};
        }
    }
    return tl::unexpected(InputError{"--link",
                                     "'" + std::string(text) + "' is no link with a factor above 0",
                                     "write it as \"xbus x2\""});
}

Expected<Machine> with_link_change(Machine const& machine, LinkChange const& change) {
    Machine changed = machine;
    std::string known;
    bool found = false;
    bool possible = true;
    auto const scaled = [&](std::uint64_t value) {
        double const changed_Bps = static_cast<double>(value) * change.factor;
        if (!(changed_Bps >= static_cast<double>(bandwidth_min_Bps) &&
              changed_Bps <= static_cast<double>(bandwidth_max_Bps))) {
            possible = false;
            return value;
        }
        return static_cast<std::uint64_t>(std::llround(changed_Bps));
    };
    for (LinkKind& kind : changed.platform.link_kinds) {
        known += (known.empty() ? "" : ", ") + kind.name;
        if (kind.name.find(change.pattern) == std::string::npos) {
            continue;
        }
        found = true;
        kind.bandwidth_Bps = scaled(kind.bandwidth_Bps);
        if (kind.bandwidth_back_Bps) {
            kind.bandwidth_back_Bps = scaled(*kind.bandwidth_back_Bps);
        }
        if (kind.bandwidth_total_Bps) {
            kind.bandwidth_total_Bps = scaled(*kind.bandwidth_total_Bps);
        }
    }
    if (!found) {
        return tl::unexpected(InputError{
            "--link", "no kind of link is named like '" + change.pattern + "'", "kinds: " + known});
    }
    if (!possible) {
        return tl::unexpected(
            InputError{"--link",
                       "'" + change.pattern + "' would have less than 1 MB/s or more than 1 PB/s",
                       "give a factor nearer to 1"});
    }
    return changed;
}

Expected<std::vector<WhatIfRow>> run_what_if(Machine const& machine, WhatIfSweep const& sweep) {
    auto const count = combinations(sweep);
    if (!count) {
        return tl::unexpected(InputError{"whatif",
                                         "a list is empty, or the lists combine to more than " +
                                             std::to_string(what_if_rows_max) + " simulations",
                                         "give shorter lists"});
    }
    std::vector<Machine> machines;
    for (auto const& change : sweep.link_changes) {
        auto changed = change ? with_link_change(machine, *change) : Expected<Machine>(machine);
        if (!changed) {
            return tl::unexpected(changed.error());
        }
        machines.push_back(std::move(*changed));
    }
    std::vector<WhatIfRow> rows(*count);
    tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t index) {
        std::size_t change = 0;
        WhatIfRow row = row_of(sweep, index, change);
        if (auto const simulation = simulate(machines[change], row.request)) {
            PhaseTimes const times = phase_times(*simulation);
            row.total_ms = times.total_ms;
            row.key_swap_ms = times.key_swap_ms;
            row.passes = simulation->schedule.passes;
        } else {
            row.error = simulation.error().message();
        }
        rows[index] = std::move(row);
    });
    return rows;
}

} // namespace keyswap::simulator
