#include "model/distributions/counter_generator.hpp"
#include "model/distributions/distribution.hpp"
#include "tools/commands/command.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/json.hpp"

#include <iostream>

namespace keyswap::tools {

namespace {

std::string_view lower_half_text(model::Distribution const& distribution) {
    return distribution.low_word == model::LowWord::random ? "random" : "zero";
}

void print_list_json() {
    auto list = Json::array();
    for (model::Distribution const& distribution : model::distributions()) {
        Json entry;
        entry["name"] = distribution.name;
        entry["definition"] = distribution.definition;
        if (!distribution.parameter.name.empty()) {
            entry["parameter"] = {{"name", distribution.parameter.name},
                                  {"default", distribution.parameter.default_value},
                                  {"min", distribution.parameter.min},
                                  {"max", distribution.parameter.max},
                                  {"whole", distribution.parameter.whole}};
        }
        entry["lower_half"] = lower_half_text(distribution);
        entry["source"] = distribution.source;
        list.push_back(std::move(entry));
    }
    Json json = json_result("distributions", {{"generator_version", model::generator_version}});
    json["distributions"] = std::move(list);
    print_json(json, std::cout);
}

void print_text() {
    std::cout
        << "max is the key type's largest finite value; n the number of keys. Of keys of 128 "
           "bits the upper 64 are made as those of a u64 (i128: of an i64); the lower 64 are 0, "
           "or random where that is said.\n";
    for (model::Distribution const& distribution : model::distributions()) {
        std::cout << '\n' << distribution.name;
        model::DistributionParameter const& parameter = distribution.parameter;
        if (!parameter.name.empty()) {
            std::cout << "  (parameter: " << parameter.name << ", " << parameter.min << " .. "
                      << parameter.max << ", default " << parameter.default_value << ')';
        }
        std::cout << "\n    " << distribution.definition;
        if (distribution.low_word == model::LowWord::random) {
            std::cout << " Lower half of 128 bits: random.";
        }
        std::cout << "\n    From: " << distribution.source << '\n';
    }
}

Expected<ExitCode> list_distributions(bool json) {
    json ? print_list_json() : print_text();
    return ExitCode::fine;
}

} // namespace

void add_distributions_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command =
        *app.add_subcommand("distributions", "List the distributions of generated keys");
    auto const json = std::make_shared<bool>(false);
    command.add_flag("--json", *json, "Print JSON");
    run_when_chosen(command, chosen, json, list_distributions);
}

} // namespace keyswap::tools
