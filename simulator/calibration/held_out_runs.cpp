#include "simulator/calibration/held_out_runs.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"
#include "traces/measurements/csv_row.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace keyswap::simulator {

namespace {

InputError bad_row(std::size_t row, std::string problem) {
    return {"held-out runs, row " + std::to_string(row), std::move(problem), ""};
}

template <class Number>
Expected<Number> number_in(std::string_view cell, std::size_t row) {
    auto const number = parsed_number<Number>(cell);
    if (!number) {
        return tl::unexpected(bad_row(row, "'" + std::string(cell) + "' is not a number"));
    }
    return *number;
}

Expected<HeldOutRun> run_of(std::string_view line, std::size_t row) {
    constexpr std::size_t cell_count = 14;
    auto const cells = split_csv_row(line);
    if (!cells || cells->size() != cell_count) {
        return tl::unexpected(bad_row(row, "does not have 14 cells"));
    }
    auto const text = [&cells](std::size_t cell) { return std::string((*cells)[cell]); };
    KEYSWAP_TRY(auto const keys, number_in<std::uint64_t>((*cells)[4], row));
    KEYSWAP_TRY(auto const measured, number_in<double>((*cells)[10], row));
    KEYSWAP_TRY(auto const predicted, number_in<double>((*cells)[11], row));
    KEYSWAP_TRY(auto const rest, number_in<double>((*cells)[12], row));
    KEYSWAP_TRY(auto const reach, number_in<double>((*cells)[13], row));
    if (!(measured > 0.0) || !(predicted > 0.0) || !(reach > 0.0)) {
        return tl::unexpected(bad_row(row, "a time or the reach is not positive"));
    }
    return HeldOutRun{text(0),
                      text(1),
                      text(2),
                      text(3),
                      keys,
                      text(5),
                      text(6),
                      text(7),
                      text(8),
                      text(9),
                      measured,
                      predicted,
                      rest,
                      reach};
}

/// Class error, at a reach of 1, with which a run's interval at `level` just contains the measured
/// total. For another level the rest, from ranges of constants, is scaled in proportion.
double needed(HeldOutRun const& run, double level) {
    double const error = run.error();
    double const rest = run.rest * level / interval_level;
    return std::sqrt(std::max(0.0, error * error - rest * rest)) / run.reach;
}

} // namespace

Expected<std::vector<HeldOutRun>> parse_held_out_runs(std::string_view text) {
    std::vector<HeldOutRun> runs;
    static_cast<void>(take_line(text)); // skips the header
    for (std::size_t row = 1; !text.empty(); ++row) {
        KEYSWAP_TRY(auto run, run_of(take_line(text), row));
        runs.push_back(std::move(run));
    }
    return runs;
}

std::vector<HeldOutRun> const& held_out_runs() {
    static std::vector<HeldOutRun> const runs = [] {
        auto parsed = parse_held_out_runs(embedded_held_out_runs().front().text);
        KEYSWAP_ENSURES(parsed.has_value());
        return std::move(*parsed);
    }();
    return runs;
}

double class_error(std::span<HeldOutRun const> runs, double level) {
    if (runs.empty()) {
        return 0.0;
    }
    std::vector<double> all;
    std::ranges::transform(runs, std::back_inserter(all), [level](HeldOutRun const& run) {
        return needed(run, level);
    });
    std::ranges::sort(all);
    auto const rank =
        static_cast<std::size_t>(std::ceil(level * static_cast<double>(all.size() + 1)));
    return all[std::clamp(rank, std::size_t{1}, all.size()) - 1];
}

std::vector<ClassCoverage> class_coverage(std::span<HeldOutRun const> runs, double level) {
    std::vector<ClassCoverage> classes;
    for (HeldOutRun const& run : runs) {
        if (std::ranges::find(classes, run.error_class, &ClassCoverage::name) == classes.end()) {
            classes.push_back({run.error_class, 0, 0, 0.0});
        }
    }
    for (ClassCoverage& one : classes) {
        std::vector<HeldOutRun> members;
        std::ranges::copy_if(runs, std::back_inserter(members), [&one](HeldOutRun const& run) {
            return run.error_class == one.name;
        });
        one.runs = members.size();
        one.error = class_error(members, level);
        std::set<std::string> groups;
        for (HeldOutRun const& run : members) {
            groups.insert(run.group);
        }
        for (std::string const& group : groups) {
            std::vector<HeldOutRun> others;
            std::ranges::copy_if(members, std::back_inserter(others), [&](HeldOutRun const& run) {
                return run.group != group;
            });
            double const error = class_error(others, level);
            one.inside +=
                static_cast<std::size_t>(std::ranges::count_if(members, [&](HeldOutRun const& run) {
                    return run.group == group && needed(run, level) <= error;
                }));
        }
    }
    return classes;
}

ClassCoverage held_out_coverage(std::string_view error_class) {
    static std::vector<ClassCoverage> const classes = class_coverage(held_out_runs());
    auto const found = std::ranges::find(classes, error_class, &ClassCoverage::name);
    return found == classes.end() ? ClassCoverage{std::string(error_class), 0, 0, 0.0} : *found;
}

} // namespace keyswap::simulator
