#include "tools/options/algorithm_options.hpp"

#include "simulator/schedules/schedule.hpp"
#include "tools/text/json.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/try.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <vector>

namespace keyswap::tools {

namespace {

using Algorithms = std::span<AlgorithmInfo const* const>;

/// "rmg: fast, rotated, paper"
std::string known_variants(Algorithms algorithms) {
    std::string text;
    for (AlgorithmInfo const* const algorithm : algorithms) {
        if (algorithm->variants.size() == 1) {
            continue;
        }
        text += (text.empty() ? "" : "; ") + std::string(algorithm->name) + ": ";
        for (VariantInfo const& variant : algorithm->variants) {
            text +=
                (&variant == &algorithm->variants.front() ? "" : ", ") + std::string(variant.name);
        }
    }
    return text;
}

/// "rmg, sample-sort (20000)": algorithms with the parameter, and their default if it differs.
std::string sorts_with(ParameterInfo const& parameter, Algorithms algorithms) {
    std::string text;
    for (AlgorithmInfo const* const algorithm : algorithms) {
        ParameterInfo const* const own = find_parameter(*algorithm, parameter.name);
        if (own != nullptr) {
            text += (text.empty() ? "" : ", ") + std::string(algorithm->name);
            text += own->default_value == parameter.default_value
                        ? ""
                        : " (" + std::to_string(own->default_value) + ")";
        }
    }
    return text;
}

Expected<AlgorithmChoice> chosen(AlgorithmOptions const& options) {
    std::string const name = options.named();
    if (!options.variant || find_algorithm_info(name)) {
        return options.variant ? choose(name, options.variant) : parse_full_name(name);
    }
    auto const named = parse_full_name(name);
    if (named && named->variant->name != *options.variant) {
        return input_error(
            "--algorithm " + name + " and --variant", "name two variants", "leave --variant out");
    }
    return named;
}

/// Every parameter that one of the algorithms has, once.
std::vector<ParameterInfo const*> known_parameters(Algorithms algorithms) {
    std::vector<ParameterInfo const*> known;
    for (AlgorithmInfo const* const algorithm : algorithms) {
        for (ParameterInfo const& parameter : algorithm->parameters) {
            if (!std::ranges::count(
                    known, parameter.name, [](auto const* one) { return one->name; })) {
                known.push_back(&parameter);
            }
        }
    }
    return known;
}

} // namespace

std::vector<AlgorithmInfo const*> simulated_algorithms() {
    std::vector<AlgorithmInfo const*> simulated;
    std::ranges::copy_if(
        catalog(), std::back_inserter(simulated), [](AlgorithmInfo const* algorithm) {
            return simulator::find_schedule(algorithm->name).has_value();
        });
    return simulated;
}

void add_algorithm_options(CLI::App& command,
                           AlgorithmOptions& options,
                           std::span<AlgorithmInfo const* const> algorithms) {
    command
        .add_option(
            "--algorithm", options.name, joined_text(algorithms, ", ", &AlgorithmInfo::name))
        ->default_str(default_algorithm);
    command.add_option("--variant",
                       options.variant,
                       "Variant of the algorithm, by default its first; " +
                           known_variants(algorithms));
    add_parameter_options(command, options.parameters, algorithms);
}

void add_parameter_options(CLI::App& command,
                           GivenParameters& parameters,
                           std::span<AlgorithmInfo const* const> algorithms) {
    for (ParameterInfo const* const parameter : known_parameters(algorithms)) {
        std::string const name(parameter->name);
        command
            .add_option_function<std::uint64_t>(
                "--" + name,
                [&parameters, name](std::uint64_t value) { parameters[name] = value; },
                sorts_with(*parameter, algorithms) + ": " + std::string(parameter->description))
            ->type_name("UINT")
            ->default_str(std::to_string(parameter->default_value));
    }
}

std::string parameter_option_names() {
    std::string names;
    for (ParameterInfo const* const parameter : known_parameters(catalog())) {
        names += (names.empty() ? "--" : " --") + std::string(parameter->name);
    }
    return names;
}

Expected<ChosenAlgorithm> resolve(AlgorithmOptions const& options) {
    KEYSWAP_TRY(auto const choice, chosen(options));
    return parameters_from(*choice.algorithm, options.parameters)
        .map([&](SortParameters const& parameters) {
            return ChosenAlgorithm{choice, parameters};
        });
}

Expected<std::string> schedule_name(AlgorithmOptions const& options) {
    if (!options.variant) {
        return simulator::find_schedule(options.named())
            .map([](simulator::ScheduleKind const* kind) { return full_name(kind->choice()); });
    }
    return chosen(options)
        .and_then(
            [](AlgorithmChoice choice) { return simulator::find_schedule(full_name(choice)); })
        .map([](simulator::ScheduleKind const* kind) { return full_name(kind->choice()); });
}

Expected<std::vector<std::string>> schedule_names(std::vector<std::string> const& names) {
    std::vector<std::string> schedules;
    for (std::string const& name : names) {
        if (name == "all") {
            for (simulator::ScheduleKind const* const kind : simulator::schedule_kinds()) {
                schedules.push_back(full_name(kind->choice()));
            }
            continue;
        }
        KEYSWAP_TRY(auto const kind, simulator::find_schedule(name));
        schedules.push_back(full_name(kind->choice()));
    }
    return schedules;
}

Expected<SortParameters> parameters_of(AlgorithmInfo const& algorithm,
                                       GivenParameters const& given) {
    GivenParameters own;
    std::ranges::copy_if(given, std::inserter(own, own.end()), [&](auto const& parameter) {
        return find_parameter(algorithm, parameter.first) != nullptr;
    });
    return parameters_from(algorithm, own);
}

void add_parameters(Json& json, AlgorithmInfo const& algorithm, SortParameters const& parameters) {
    for (ParameterInfo const& parameter : algorithm.parameters) {
        std::string name(parameter.name);
        std::ranges::replace(name, '-', '_');
        json[name] = value_of(parameters, parameter);
    }
}

std::string parameters_text(AlgorithmInfo const& algorithm, SortParameters const& parameters) {
    std::string text;
    for (ParameterInfo const& parameter : algorithm.parameters) {
        text += ", " + std::string(parameter.name) + ' ' +
                std::to_string(value_of(parameters, parameter));
    }
    return text;
}

} // namespace keyswap::tools
