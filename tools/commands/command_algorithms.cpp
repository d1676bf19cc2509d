#include "model/sorts/algorithm.hpp"
#include "tools/commands/command.hpp"
#include "tools/output/json_result.hpp"
#include "traces/catalog/catalog.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace keyswap::tools {

namespace {

using Json = nlohmann::ordered_json;

struct AlgorithmsOptions {
    bool json = false;
};

std::string_view gpus_text(GpuCounts gpus) {
    switch (gpus) {
    case GpuCounts::none:
        return "none, it runs on CPUs";
    case GpuCounts::one:
        return "one";
    case GpuCounts::power_of_two:
        return "a power of two";
    case GpuCounts::any:
        break;
    }
    return "any number";
}

Json parameter_json(ParameterInfo const& parameter) {
    return {{"name", parameter.name},
            {"unit", parameter.unit},
            {"description", parameter.description},
            {"least", parameter.least},
            {"most", parameter.most},
            {"standard", parameter.default_value},
            {"source", parameter.source}};
}

Json algorithm_json(AlgorithmInfo const& algorithm) {
    Json variants = Json::array();
    for (VariantInfo const& variant : algorithm.variants) {
        variants.push_back({{"name", variant.name}, {"description", variant.description}});
    }
    Json parameters = Json::array();
    for (ParameterInfo const& parameter : algorithm.parameters) {
        parameters.push_back(parameter_json(parameter));
    }
    Json key_types = Json::array();
    for (KeyType const type : algorithm.key_types) {
        key_types.push_back(to_string(type));
    }
    return {{"name", algorithm.name},
            {"description", algorithm.description},
            {"source", algorithm.source},
            {"gpus", gpus_text(algorithm.gpus)},
            {"has_model", model::find_algorithm(algorithm.name).has_value()},
            {"key_types", key_types},
            {"stability", to_string(algorithm.stability)},
            {"variants", variants},
            {"parameters", parameters}};
}

void print_algorithm(AlgorithmInfo const& algorithm) {
    std::cout << '\n'
              << algorithm.name << "\n    " << algorithm.description
              << "\n    From: " << algorithm.source << "\n    GPUs: " << gpus_text(algorithm.gpus)
              << "; " << to_string(algorithm.stability) << "\n    keys:";
    for (KeyType const type : algorithm.key_types) {
        std::cout << ' ' << to_string(type);
    }
    std::cout << '\n';
    for (VariantInfo const& variant : algorithm.variants) {
        std::cout << "    variant " << variant.name << ": " << variant.description << '\n';
    }
    for (ParameterInfo const& parameter : algorithm.parameters) {
        std::cout << "    parameter " << parameter.name << ": " << parameter.description << ", "
                  << parameter.least << " to " << parameter.most
                  << (parameter.unit.empty() ? "" : " ") << parameter.unit << ", default "
                  << parameter.default_value << '\n';
    }
}

Expected<ExitCode> list_algorithms(AlgorithmsOptions const& options) {
    if (options.json) {
        Json list = Json::array();
        for (AlgorithmInfo const* algorithm : catalog()) {
            list.push_back(algorithm_json(*algorithm));
        }
        Json json = json_result("algorithms", Json::object());
        json["algorithms"] = std::move(list);
        print_json(json, std::cout);
        return ExitCode::fine;
    }
    std::cout << "The first variant is meant where none is named.\n";
    for (AlgorithmInfo const* algorithm : catalog()) {
        print_algorithm(*algorithm);
    }
    return ExitCode::fine;
}

} // namespace

void add_algorithms_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "algorithms", "List the sorts with their variants, parameters and sources");
    auto const options = std::make_shared<AlgorithmsOptions>();
    command.add_flag("--json", options->json, "Print JSON");
    run_when_chosen(command, chosen, options, list_algorithms);
}

} // namespace keyswap::tools
