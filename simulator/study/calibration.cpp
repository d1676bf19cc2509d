#include "simulator/study/calibration.hpp"

#include "simulator/study/calibration_nnls.hpp"
#include "simulator/study/validation.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace keyswap::simulator {

namespace {

/// A constant of a machine, however it is stored.
struct Parameter {
    std::string name;
    std::string unit;
    std::function<double(Machine&)> get;
    std::function<void(Machine&, double)> set;
    double max = 1e300;
    double min = 0.0;
};

void add_profile_parameters(Machine const& machine, std::vector<Parameter>& all) {
    Machine copy = machine;
    auto const constants = constants_of(copy.device);
    for (std::size_t index = 0; index < constants.size(); ++index) {
        std::string const& name = constants[index].name;
        if (name == "sort.pass_bits" || name.ends_with(".merge") || name == "launch.merge" ||
            name.ends_with("sort_base") || name.starts_with("fast.")) {
            continue; // not shown by runs of RMG sort as published, or not a continuous quantity
        }
        all.push_back(
            {name,
             constants[index].unit,
             [index](Machine& m) { return *constants_of(m.device)[index].value; },
             [index](Machine& m, double value) { *constants_of(m.device)[index].value = value; },
             name == "sort.lag" ? 1.0 : 1e300,
             constants[index].unit == "times" ? 1.0 : 0.0});
    }
}

/// One parameter for each achieved part of a kind of link, and of all host memories: properties of
/// the machine's parts, never of a set of GPUs.
void add_link_parameters(Machine const& machine, std::vector<Parameter>& all) {
    for (std::size_t kind = 0; kind < machine.platform.link_kinds.size(); ++kind) {
        LinkKind const& link = machine.platform.link_kinds[kind];
        all.push_back(
            {"link " + link.name + " efficiency",
             "",
             [kind](Machine& m) { return m.platform.link_kinds[kind].efficiency; },
             [kind](Machine& m, double value) { m.platform.link_kinds[kind].efficiency = value; },
             1.0,
             1e-3});
        if (link.efficiency_back) {
            all.push_back(
                {"link " + link.name + " efficiency_back",
                 "",
                 [kind](Machine& m) { return *m.platform.link_kinds[kind].efficiency_back; },
                 [kind](Machine& m, double value) {
                     m.platform.link_kinds[kind].efficiency_back = value;
                 },
                 1.0,
                 1e-3});
        }
        if (link.efficiency_pieces < 1.0) {
            all.push_back(
                {"link " + link.name + " efficiency_pieces",
                 "",
                 [kind](Machine& m) { return m.platform.link_kinds[kind].efficiency_pieces; },
                 [kind](Machine& m, double value) {
                     m.platform.link_kinds[kind].efficiency_pieces = value;
                 },
                 1.0,
                 1e-3});
        }
        if (link.bandwidth_total_Bps) {
            all.push_back(
                {"link " + link.name + " efficiency_total",
                 "",
                 [kind](Machine& m) { return m.platform.link_kinds[kind].efficiency_total; },
                 [kind](Machine& m, double value) {
                     m.platform.link_kinds[kind].efficiency_total = value;
                 },
                 1.0,
                 1e-3});
        }
    }
    for (bool const reads : {true, false}) {
        double Cpu::*const part =
            reads ? &Cpu::memory_read_efficiency : &Cpu::memory_write_efficiency;
        all.push_back({reads ? "memory read efficiency" : "memory write efficiency",
                       "",
                       [part](Machine& m) { return m.platform.cpus.front().*part; },
                       [part](Machine& m, double value) {
                           for (Cpu& cpu : m.platform.cpus) {
                               cpu.*part = value;
                           }
                       },
                       1.0,
                       1e-3});
    }
}

/// Predicted / measured of every row that counts, in a fixed order.
struct Rows {
    std::vector<Residual> rows;
    std::vector<double> ratios;
};

Expected<Rows> predict(Machine const& machine,
                       std::span<Measurement const> runs,
                       CalibrationOptions const& options) {
    auto const validation = validate(machine, runs);
    if (!validation) {
        return tl::unexpected(validation.error());
    }
    Rows out;
    for (ValidatedConfiguration const& row : validation->configurations) {
        Measurement const& run = row.measured.first;
        std::string name =
            std::to_string(run.key_count) + " " + run.key_type + " " + run.distribution + " on";
        for (int const gpu : run.gpus) {
            name += " " + std::to_string(gpu);
        }
        for (PhaseError const& phase : row.phases) {
            if (!run.gpus.empty() && phase.measured_ms >= options.phase_ms_min) {
                out.rows.push_back({name, phase.phase, phase.measured_ms, phase.error()});
                out.ratios.push_back(1.0 + phase.error());
            }
        }
    }
    return out;
}

/// Step of a parameter's finite difference.
double step_of(double value, double max) {
    double const step = std::max(0.02 * std::abs(value), 1e-3);
    return value + step <= max ? step : -step;
}

struct Linearized {
    Eigen::MatrixXd slope; ///< [row, parameter]
    Eigen::VectorXd ratio; ///< [row]
};

Expected<Linearized> linearize(Machine const& machine,
                               std::span<Measurement const> runs,
                               std::vector<Parameter> const& parameters,
                               CalibrationOptions const& options) {
    auto const base = predict(machine, runs, options);
    if (!base) {
        return tl::unexpected(base.error());
    }
    auto const rows = static_cast<Eigen::Index>(base->ratios.size());
    Linearized out{Eigen::MatrixXd::Zero(rows, static_cast<Eigen::Index>(parameters.size())),
                   Eigen::Map<Eigen::VectorXd const>(base->ratios.data(), rows)};
    tbb::parallel_for(std::size_t{0}, parameters.size(), [&](std::size_t index) {
        Machine moved = machine;
        double const value = parameters[index].get(moved);
        double const step = step_of(value, parameters[index].max);
        parameters[index].set(moved, value + step);
        if (auto const changed = predict(moved, runs, options)) {
            for (Eigen::Index row = 0; row < rows; ++row) {
                out.slope(row, static_cast<Eigen::Index>(index)) =
                    (changed->ratios[static_cast<std::size_t>(row)] - out.ratio[row]) / step;
            }
        }
    });
    return out;
}

std::vector<double> values_of(Machine const& machine, std::vector<Parameter> const& parameters) {
    Machine copy = machine;
    std::vector<double> values;
    values.reserve(parameters.size());
    for (Parameter const& parameter : parameters) {
        values.push_back(parameter.get(copy));
    }
    return values;
}

/// The weighted system in units of the start values, with the pull's rows below.
struct System {
    Eigen::MatrixXd a;
    Eigen::VectorXd b;
};

System system_of(Linearized const& model,
                 std::vector<double> const& now,
                 std::vector<double> const& scale,
                 CalibrationOptions const& options) {
    Eigen::Index const rows = model.ratio.size();
    auto const columns = static_cast<Eigen::Index>(now.size());
    System system{Eigen::MatrixXd::Zero(rows + columns, columns),
                  Eigen::VectorXd::Zero(rows + columns)};
    for (Eigen::Index row = 0; row < rows; ++row) {
        double const error = std::abs(model.ratio[row] - 1.0);
        double const weight =
            std::sqrt(std::min(1.0, options.robust_error / std::max(error, 1e-9)));
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
        system.b[rows + column] = options.pull * now[static_cast<std::size_t>(column)] /
                                  scale[static_cast<std::size_t>(column)];
    }
    return system;
}

void set_confidences(System const& system,
                     Eigen::Index rows,
                     std::vector<double> const& scale,
                     CalibrationOptions const& options,
                     std::vector<CalibratedConstant>& constants) {
    Eigen::VectorXd x(system.a.cols());
    for (Eigen::Index column = 0; column < x.size(); ++column) {
        auto const index = static_cast<std::size_t>(column);
        x[column] = constants[index].after / scale[index];
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
            1.96 * std::sqrt(variance * inverse(column, column)) * scale[index];
        double const information = system.a.col(column).head(rows).squaredNorm();
        constants[index].identified = information > options.pull * options.pull;
    }
}

/// Constants of links and memories that were fitted say so: a file of the platform states where
/// each constant is from.
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
        state("efficiency_pieces", kind.efficiency_pieces != old.efficiency_pieces);
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

/// Splits runs so that every k-th configuration is held out.
void split(std::span<Measurement const> runs,
           int every,
           std::vector<Measurement>& fitted,
           std::vector<Measurement>& held_out) {
    std::map<std::string, std::size_t> seen;
    for (Measurement const& run : runs) {
        std::string const key = run.algorithm + std::to_string(run.key_count) + run.key_type +
                                run.distribution + std::to_string(run.parameter) +
                                (run.gpus.empty() ? "" : [&] {
                                    std::string text;
                                    for (int gpu : run.gpus) {
                                        text += "," + std::to_string(gpu);
                                    }
                                    return text;
                                }());
        std::size_t const number = seen.emplace(key, seen.size()).first->second;
        bool const out = every > 0 && number % static_cast<std::size_t>(every) ==
                                          static_cast<std::size_t>(every) - 1;
        (out ? held_out : fitted).push_back(run);
    }
}

} // namespace

Expected<Calibration> calibrate(Machine const& machine,
                                std::span<Measurement const> runs,
                                CalibrationOptions const& options) {
    std::vector<Measurement> fitted;
    std::vector<Measurement> held_out;
    split(runs, options.hold_out_every, fitted, held_out);
    std::vector<Parameter> parameters;
    add_profile_parameters(machine, parameters);
    if (options.fit_links) {
        add_link_parameters(machine, parameters);
    }
    Calibration result{machine, {}, {}, {}};
    std::vector<double> const start = values_of(machine, parameters);
    std::vector<double> scale;
    for (std::size_t index = 0; index < start.size(); ++index) {
        scale.push_back(start[index] > 0.0 ? start[index] : 1.0);
        result.constants.push_back(
            {parameters[index].name, parameters[index].unit, start[index], start[index]});
    }
    for (int round = 0; round < options.rounds; ++round) {
        auto const model = linearize(result.machine, fitted, parameters, options);
        if (!model) {
            return tl::unexpected(model.error());
        }
        if (model->ratio.size() == 0) {
            return tl::unexpected(InputError{"calibrate",
                                             "no phase of a GPU sort lasts long enough",
                                             "lower --min-phase-ms or measure larger inputs"});
        }
        std::vector<double> const now = values_of(result.machine, parameters);
        System const system = system_of(*model, now, scale, options);
        Eigen::VectorXd const x = nonnegative_least_squares(system.a, system.b);
        for (std::size_t index = 0; index < parameters.size(); ++index) {
            // Half a step at most: the simulator is linear only nearby.
            double const wanted = x[static_cast<Eigen::Index>(index)] * scale[index];
            double const kept =
                std::clamp(wanted, 0.5 * now[index], std::max(2.0 * now[index], 1e-3));
            result.constants[index].after =
                std::clamp(kept, parameters[index].min, parameters[index].max);
            parameters[index].set(result.machine, result.constants[index].after);
        }
        set_confidences(system, model->ratio.size(), scale, options, result.constants);
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
    }
    return result;
}

} // namespace keyswap::simulator
