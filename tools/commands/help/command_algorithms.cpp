#include "model/sorts/algorithm.hpp"
#include "tools/commands/command.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/document.hpp"
#include "tools/text/json.hpp"
#include "traces/catalog/catalog.hpp"

#include <iostream>

namespace keyswap::tools {

namespace {

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

} // namespace

void result_fields(ParameterInfo const& parameter, auto& field) {
    field("name", parameter.name);
    field("unit", parameter.unit);
    field("description", parameter.description);
    field("least", parameter.least);
    field("most", parameter.most);
    field("standard", parameter.default_value);
    field("source", parameter.source);
}

void result_fields(VariantInfo const& variant, auto& field) {
    field("name", variant.name);
    field("description", variant.description);
}

void result_fields(AlgorithmInfo const& algorithm, auto& field) {
    field("name", algorithm.name);
    field("description", algorithm.description);
    field("source", algorithm.source);
    field("gpus", gpus_text(algorithm.gpus));
    field("has_model", model::find_algorithm(algorithm.name).has_value());
    field("key_types", algorithm.key_types);
    field("stability", algorithm.stability);
    field("variants", algorithm.variants);
    field("parameters", algorithm.parameters);
}

namespace {

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

Expected<ExitCode> list_algorithms(bool json) {
    if (json) {
        Json list = json_array(catalog(),
                               [](AlgorithmInfo const* algorithm) { return document(*algorithm); });
        Json result = json_result("algorithms", Json::object());
        result["algorithms"] = std::move(list);
        print_json(result, std::cout);
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
    auto const json = std::make_shared<bool>(false);
    command.add_flag("--json", *json, "Print JSON");
    run_when_chosen(command, chosen, json, list_algorithms);
}

} // namespace keyswap::tools
