#include "simulator/calibration/calibration.hpp"

#include "model/keys/parallel.hpp"
#include "simulator/calibration/calibration_nnls.hpp"
#include "simulator/calibration/validation.hpp"
#include "simulator/platform/link_losses.hpp"
#include "simulator/prediction/machine_constants.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace keyswap::simulator {

namespace {

/// Constants of the device that published runs of RMG sort determine, and links if requested.
std::vector<MachineConstant> fitted_constants(Machine const& machine, bool with_links) {
    std::vector<MachineConstant> all = device_constants(machine);
    std::erase_if(all, [](MachineConstant const& constant) {
        std::string const& name = constant.name;
        // Not determined by these runs, or not continuous.
        return name == "sort.pass_bits" || name.ends_with(".merge") ||
               name.ends_with("sort_base") || name.starts_with("fast.");
    });
    if (with_links) {
        for (MachineConstant& constant : platform_constants(machine)) {
            all.push_back(std::move(constant));
        }
    }
    return all;
}

/// predicted / measured of all rows in the fit, in a fixed order.
struct Rows {
    std::vector<Residual> rows;
    std::vector<double> ratios;
    /// Squared weights from the agreement of repeated runs: close to 1 if their spread is far below
    /// options.robust_error.
    std::vector<double> trust;
};

/// Phases of a configuration with histograms and scatters separated: in their sum a slow histogram
/// is indistinguishable from a slow scatter, except for keys with a single digit, which are not
/// scattered.
std::vector<PhaseError> fitted_phases(ValidatedConfiguration const& row) {
    std::vector<PhaseError> phases = row.phases;
    std::erase_if(phases,
                  [](PhaseError const& phase) { return phase.phase.starts_with("partition"); });
    auto const add = [&phases](char const* name,
                               std::vector<double> const& measured,
                               std::vector<double> const& predicted) {
        for (std::size_t pass = 0; pass < measured.size(); ++pass) {
            if (measured[pass] > 0.0) {
                phases.push_back({name + std::to_string(pass + 1),
                                  measured[pass],
                                  value_or_zero(predicted, pass)});
            }
        }
    };
    add("histogram pass ", row.measured.times.histogram_ms, row.predicted.histogram_ms);
    add("scatter pass ", row.measured.times.scatter_ms, row.predicted.scatter_ms);
    return phases;
}

Expected<Rows> predict(Machine const& machine,
                       std::span<Measurement const> runs,
                       CalibrationOptions const& options) {
    KEYSWAP_TRY(auto const validation, validate(machine, runs));
    Rows out;
    for (ValidatedConfiguration const& row : validation.configurations) {
        Measurement const& run = row.measured.first;
        if (run.gpus.size() > 1 && row.predicted_passes != row.measured.passes) {
            continue; // a different number of passes makes the phases incomparable
        }
        std::string const name = std::to_string(run.key_count) + " " + run.key_type + " " +
                                 run.distribution + " on " + joined_text(run.gpus, " ");
        double const parts = row.measured.spread / options.robust_error;
        for (PhaseError const& phase : fitted_phases(row)) {
            if (!run.gpus.empty() && phase.measured_ms >= options.phase_ms_min) {
                out.rows.push_back({name, phase.phase, phase.measured_ms, phase.error()});
                out.ratios.push_back(1.0 + phase.error());
                out.trust.push_back(1.0 / (1.0 + parts * parts));
            }
        }
    }
    return out;
}

/// Data that is constant over the rounds.
struct Fit {
    std::span<Measurement const> runs;
    std::vector<MachineConstant> parameters;
    std::vector<double> start; ///< [parameter]
    std::vector<double> scale; ///< [parameter] unit of distances from the start
    CalibrationOptions options;
};

/// Values between which a slope is measured. On both sides, as times have kinks: if a link is as
/// fast as the memory behind it, trying only faster links would show no effect.
struct Difference {
    double low = 0.0;
    double high = 0.0;
};

Difference difference_at(MachineConstant const& parameter, double value) {
    double const step = std::max(0.02 * std::abs(value), 1e-3);
    return {std::max(parameter.min, value - step), std::min(parameter.max, value + step)};
}

Machine with_values(Fit const& fit, Machine machine, std::vector<double> const& values) {
    for (std::size_t index = 0; index < values.size(); ++index) {
        fit.parameters[index].set(machine, values[index]);
    }
    return machine;
}

struct Linearized {
    Eigen::MatrixXd slope;     ///< [row, parameter]
    Eigen::VectorXd ratio;     ///< [row]
    std::vector<double> trust; ///< [row]
};

Expected<Linearized>
linearize(Fit const& fit, Machine const& machine, std::vector<double> const& values) {
    KEYSWAP_TRY(auto const base, predict(machine, fit.runs, fit.options));
    auto const& parameters = fit.parameters;
    auto const rows = static_cast<Eigen::Index>(base.ratios.size());
    Linearized out{Eigen::MatrixXd::Zero(rows, static_cast<Eigen::Index>(parameters.size())),
                   Eigen::Map<Eigen::VectorXd const>(base.ratios.data(), rows),
                   base.trust};
    model::parallel_for(parameters.size(), [&](std::size_t index) {
        Difference const between = difference_at(parameters[index], values[index]);
        Machine moved = machine;
        parameters[index].set(moved, between.low);
        auto const below = predict(moved, fit.runs, fit.options);
        parameters[index].set(moved, between.high);
        auto const above = predict(moved, fit.runs, fit.options);
        if (below && above) {
            for (Eigen::Index row = 0; row < rows; ++row) {
                auto const at = static_cast<std::size_t>(row);
                out.slope(row, static_cast<Eigen::Index>(index)) =
                    (above->ratios[at] - below->ratios[at]) / (between.high - between.low);
            }
        }
    });
    return out;
}

/// The weighted system in units of the start values; the last rows are the regularization.
struct System {
    Eigen::MatrixXd a;
    Eigen::VectorXd b;
};

System system_of(Fit const& fit, Linearized const& model, std::vector<double> const& now) {
    CalibrationOptions const& options = fit.options;
    std::vector<double> const& scale = fit.scale;
    Eigen::Index const rows = model.ratio.size();
    auto const columns = static_cast<Eigen::Index>(now.size());
    System system{Eigen::MatrixXd::Zero(rows + columns, columns),
                  Eigen::VectorXd::Zero(rows + columns)};
    for (Eigen::Index row = 0; row < rows; ++row) {
        double const error = std::abs(model.ratio[row] - 1.0);
        double const weight =
            std::sqrt(model.trust[static_cast<std::size_t>(row)] *
                      std::min(1.0, options.robust_error / std::max(error, 1e-9)));
        double target = 1.0 - model.ratio[row];
        for (Eigen::Index column = 0; column < columns; ++column) {
            auto const index = static_cast<std::size_t>(column);
            system.a(row, column) = weight * model.slope(row, column) * scale[index];
            target += model.slope(row, column) * now[index];
        }
        system.b[row] = weight * target;
    }
    for (Eigen::Index column = 0; column < columns; ++column) {
        system.a(rows + column, column) = options.pull;
        system.b[rows + column] = options.pull * fit.start[static_cast<std::size_t>(column)] /
                                  scale[static_cast<std::size_t>(column)];
    }
    return system;
}

/// The fit's objective: Huber's loss of errors (squares of small errors, linear for large ones; its
/// derivative gives the weights in system_of()), plus squared distances from the start.
double loss(Fit const& fit,
            std::vector<double> const& ratios,
            std::vector<double> const& trust,
            std::vector<double> const& values) {
    CalibrationOptions const& options = fit.options;
    double sum = 0.0;
    for (std::size_t row = 0; row < ratios.size(); ++row) {
        double const error = std::abs(ratios[row] - 1.0);
        sum += trust[row] * (error <= options.robust_error
                                 ? error * error
                                 : options.robust_error * (2.0 * error - options.robust_error));
    }
    for (std::size_t index = 0; index < values.size(); ++index) {
        double const way = options.pull * (values[index] - fit.start[index]) / fit.scale[index];
        sum += way * way;
    }
    return sum;
}

/// Moves from `now` towards the solution of the linearized system, halving the step until the loss
/// of simulated runs falls, since they are linear only locally. nullopt if no step helps.
std::optional<std::vector<double>> step_towards(Fit const& fit,
                                                Machine const& machine,
                                                Eigen::VectorXd const& solution,
                                                Linearized const& model,
                                                std::vector<double> const& now) {
    std::vector<double> wanted = now;
    for (std::size_t index = 0; index < now.size(); ++index) {
        MachineConstant const& parameter = fit.parameters[index];
        double const value = solution[static_cast<Eigen::Index>(index)] * fit.scale[index];
        wanted[index] =
            std::clamp(std::clamp(value, 0.5 * now[index], std::max(2.0 * now[index], 1e-3)),
                       parameter.min,
                       parameter.max);
    }
    double const before = loss(fit, {model.ratio.begin(), model.ratio.end()}, model.trust, now);
    for (double part = 1.0; part > 0.1; part *= 0.5) {
        std::vector<double> next = now;
        for (std::size_t index = 0; index < now.size(); ++index) {
            next[index] += part * (wanted[index] - now[index]);
        }
        auto const rows = predict(with_values(fit, machine, next), fit.runs, fit.options);
        if (rows && loss(fit, rows->ratios, rows->trust, next) < before) {
            return next;
        }
    }
    return std::nullopt;
}

void set_confidences(Fit const& fit,
                     System const& system,
                     std::vector<double> const& now,
                     std::vector<CalibratedConstant>& constants) {
    double const pull = fit.options.pull;
    Eigen::Index const rows = system.a.rows() - system.a.cols();
    Eigen::VectorXd x(system.a.cols());
    for (Eigen::Index column = 0; column < x.size(); ++column) {
        auto const index = static_cast<std::size_t>(column);
        x[column] = now[index] / fit.scale[index];
    }
    double const squares = (system.a.topRows(rows) * x - system.b.head(rows)).squaredNorm();
    double const variance =
        squares / std::max<double>(1.0, static_cast<double>(rows - system.a.cols()));
    Eigen::MatrixXd const inverse =
        (system.a.transpose() * system.a)
            .ldlt()
            .solve(Eigen::MatrixXd::Identity(system.a.cols(), system.a.cols()));
    for (Eigen::Index column = 0; column < x.size(); ++column) {
        auto const index = static_cast<std::size_t>(column);
        constants[index].confidence =
            1.96 * std::sqrt(variance * inverse(column, column)) * fit.scale[index];
        // Given the other constants; the regularization alone would give 1.
        constants[index].identified = pull * pull * inverse(column, column) < 0.5;
    }
}

/// Sets the origins of fitted constants of links and memories, since a platform file states where
/// each constant comes from.
void state_origins(Platform const& before, Platform& after, std::string const& origin) {
    for (std::size_t i = 0; i < after.link_kinds.size(); ++i) {
        LinkKind const& old = before.link_kinds[i];
        LinkKind& kind = after.link_kinds[i];
        auto const state = [&](char const* name, bool changed) {
            if (changed) {
                kind.origins[name] = origin;
            }
        };
        state("efficiency", kind.efficiency != old.efficiency);
        state("efficiency_back", kind.efficiency_back != old.efficiency_back);
        state("efficiency_total", kind.efficiency_total != old.efficiency_total);
        for (auto const& [name, field] : link_losses) {
            state(name, kind.*field != old.*field);
        }
    }
    for (std::size_t i = 0; i < after.cpus.size(); ++i) {
        Cpu const& old = before.cpus[i];
        Cpu& cpu = after.cpus[i];
        if (cpu.memory_read_efficiency != old.memory_read_efficiency) {
            cpu.origins["memory_read_efficiency"] = origin;
        }
        if (cpu.memory_write_efficiency != old.memory_write_efficiency) {
            cpu.origins["memory_write_efficiency"] = origin;
        }
    }
}

/// Splits runs so that one of every `every` configurations is held out.
void split(std::span<Measurement const> runs,
           int every,
           std::vector<Measurement>& fitted,
           std::vector<Measurement>& held_out) {
    std::map<std::string, std::size_t> seen;
    for (Measurement const& run : runs) {
        std::string const key = run.algorithm + std::to_string(run.key_count) + run.key_type +
                                run.distribution +
                                (run.parameter ? std::to_string(*run.parameter) : "") + "," +
                                joined_text(run.gpus, ",");
        std::size_t const number = seen.emplace(key, seen.size()).first->second;
        bool const out = every > 0 && number % static_cast<std::size_t>(every) ==
                                          static_cast<std::size_t>(every) - 1;
        (out ? held_out : fitted).push_back(run);
    }
}

/// Ninth decile of the totals' absolute errors; nullopt for fewer than five totals.
std::optional<double> ninth_decile_of_totals(std::vector<Residual> const& rows) {
    constexpr std::size_t totals_min = 5;
    constexpr double least = 1e-3; // the minimum in platform files
    std::vector<double> errors;
    for (Residual const& row : rows) {
        if (row.phase == "total") {
            errors.push_back(std::abs(row.error));
        }
    }
    if (errors.size() < totals_min) {
        return std::nullopt;
    }
    std::ranges::sort(errors);
    return std::clamp(errors[(9 * errors.size() + 9) / 10 - 1], least, 1.0);
}

} // namespace

Expected<Calibration> calibrate(Machine const& machine,
                                std::span<Measurement const> runs,
                                CalibrationOptions const& options) {
    std::vector<Measurement> fitted;
    std::vector<Measurement> held_out;
    split(runs, options.hold_out_every, fitted, held_out);
    Fit fit{fitted, fitted_constants(machine, options.fit_links), {}, {}, options};
    Calibration result{machine, {}, {}, {}};
    for (MachineConstant const& parameter : fit.parameters) {
        fit.start.push_back(parameter.value);
        fit.scale.push_back(parameter.value > 0.0 ? parameter.value : 1.0);
        result.constants.push_back(
            {parameter.name, parameter.unit, parameter.value, parameter.value});
    }
    std::vector<double> now = fit.start;
    for (int round = 0; round < options.rounds; ++round) {
        KEYSWAP_TRY(auto const model, linearize(fit, result.machine, now));
        if (model.ratio.size() == 0) {
            return input_error("calibrate",
                               "no phase of a GPU sort lasts long enough",
                               "lower " + setting("min-phase-ms") + " or measure larger inputs");
        }
        System const system = system_of(fit, model, now);
        set_confidences(fit, system, now, result.constants);
        auto const next = step_towards(
            fit, result.machine, nonnegative_least_squares(system.a, system.b), model, now);
        if (!next) {
            break;
        }
        now = *next;
        result.machine = with_values(fit, result.machine, now);
    }
    for (std::size_t index = 0; index < now.size(); ++index) {
        result.constants[index].after = now[index];
    }
    for (CalibratedConstant const& constant : result.constants) {
        if (constant.identified && result.machine.device.origins.contains(constant.name)) {
            result.machine.device.origins[constant.name] =
                "measured: keyswap calibrate, platform " + machine.platform.name + ", " +
                std::to_string(fitted.size()) + " runs, 95 % within " +
                std::to_string(constant.confidence) + " " + constant.unit;
        }
    }
    state_origins(machine.platform,
                  result.machine.platform,
                  "measured: keyswap calibrate, platform " + machine.platform.name + ", " +
                      std::to_string(fitted.size()) + " runs");
    auto const after = predict(result.machine, fitted, options);
    auto const unseen = predict(result.machine, held_out, options);
    if (after && unseen) {
        result.residuals = after->rows;
        result.held_out_residuals = unseen->rows;
        if (auto const error = ninth_decile_of_totals(unseen->rows)) {
            result.machine.platform.held_out_error = error;
        }
    }
    return result;
}

} // namespace keyswap::simulator
