#include "tools/options/sort_request.hpp"

#include "model/distributions/counter_generator.hpp"
#include "model/distributions/distribution.hpp"
#include "model/sorts/algorithm.hpp"
#include "tools/build/build_info.hpp"
#include "tools/options/distribution_option.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>
#include <vector>

namespace keyswap::tools {

namespace {

constexpr std::uint32_t gpu_count_default = 8;

/// Returns an error if the source of the keys is missing or ambiguous.
Expected<void> check_conflicts(SortArguments const& options) {
    if (options.input && options.distribution) {
        return input_error("--input and --distribution",
                           "both specify where the keys come from",
                           "give one of them");
    }
    if (options.input && options.key_count) {
        return input_error(
            "--input and --keys", "the file determines the number of keys", "leave --keys out");
    }
    if (options.input && options.parameter) {
        return input_error("--input and --parameter",
                           "only a distribution has a parameter",
                           "leave --parameter out");
    }
    if (options.input && options.seed) {
        return input_error(
            "--input and --seed", "only a distribution has a seed", "leave --seed out");
    }
    if (options.distribution && options.column) {
        return input_error(
            "--distribution and --column", "only a file has columns", "leave --column out");
    }
    if (options.distribution && options.format) {
        return input_error(
            "--distribution and --format", "only a file has a format", "leave --format out");
    }
    if (!options.input && !options.distribution) {
        return input_error("keys",
                           "none are given",
                           "pass a file, or generate some: --distribution uniform --keys 1e8");
    }
    if (options.distribution && !options.key_count) {
        return input_error("--keys", "is needed with --distribution", "for instance --keys 1e8");
    }
    return {};
}

Expected<model::SortConfig> resolve_config(SortArguments const& options,
                                           ChosenAlgorithm const& algorithm) {
    model::SortConfig config;
    config.key_count = options.key_count.value_or(0);
    config.gpu_count = options.gpu_count.value_or(
        takes_gpus(algorithm.choice.algorithm->gpus, gpu_count_default) ? gpu_count_default : 1);
    static_cast<SortParameters&>(config) = algorithm.parameters;
    KEYSWAP_TRY(config.key_type, parse_sorted_type(options.type.value_or("u32")));
    KEYSWAP_TRY(config.direction, parse_direction(options.direction));
    KEYSWAP_TRY(config.zero_order, parse_zero_order(options.zero_order));
    KEYSWAP_TRY(config.value_type, parse_value_type(options.values));
    config.stability = Stability::stable; // the reference keeps equal keys in order at no cost
    return model::validated(config);
}

/// The request for generated keys, with the distribution's parameter filled in.
Expected<model::KeyRequest> resolve_keys(SortArguments const& options, KeyType type) {
    KEYSWAP_TRY(auto const named, parse_distribution_and(*options.distribution, options.parameter));
    model::KeyRequest request;
    request.distribution = named.name;
    request.parameter = named.parameter;
    request.key_type = type;
    request.key_count = *options.key_count;
    request.seed = options.seed.value_or(request.seed);
    return model::KeyGenerator::make(request).map(
        [](model::KeyGenerator const& generator) { return generator.request(); });
}

} // namespace

void add_key_options(CLI::App& command, SortArguments& options) {
    command.add_option("input,--input",
                       options.input,
                       "File of keys: raw little-endian, .npy or CSV, each also as .gz or .zst");
    command
        .add_option("--format",
                    options.format,
                    "auto (by the file's name and first bytes), raw, npy or csv")
        ->default_str("auto");
    command.add_option(
        "--column",
        options.column,
        "CSV column that holds the keys: its name in the header, or its number from 1");
    command.add_option("--distribution",
                       options.distribution,
                       "Generate the keys, as zipf or zipf=0.75; see 'keyswap distributions'");
    command.add_option(
        "--parameter", options.parameter, "Parameter of the distribution: exponent, bits ...");
    add_count_option(
        command, "--keys", options.key_count, "Number of keys to generate: 2e9, 2G, 2_000_000_000");
    command.add_option("--seed", options.seed, "Seed of the generated keys")
        ->default_str(std::to_string(model::KeyRequest().seed));
    command.add_option("--type",
                       options.type,
                       key_type_list(every_key_type, " or ") +
                           " (16 bytes: UUIDs, IPv6 addresses); needed for raw and CSV files; "
                           "generated keys are u32 by default");
}

void add_sort_options(CLI::App& command, SortArguments& options) {
    add_key_options(command, options);
    command
        .add_option("--gpu-count",
                    options.gpu_count,
                    "Number of GPUs, 1 to 1024; 1 by default for sorts of one GPU")
        ->default_str(std::to_string(gpu_count_default));
    std::vector<AlgorithmInfo const*> modelled;
    for (model::Algorithm const* const algorithm : model::algorithms()) {
        modelled.push_back(&algorithm->info());
    }
    add_algorithm_options(command, options.algorithm, modelled);
    command.add_option("--direction", options.direction, "ascending or descending")
        ->capture_default_str();
    command
        .add_option("--zero-order",
                    options.zero_order,
                    "Floats: total (-0.0 before +0.0) or equal, as in CUB")
        ->capture_default_str();
}

Expected<SortRequest> resolve_sort(SortArguments const& options) {
    KEYSWAP_TRY(auto const chosen, resolve(options.algorithm));
    SortRequest request;
    KEYSWAP_TRY(request.config, resolve_config(options, chosen));
    KEYSWAP_TRY(request.algorithm, model::find_algorithm(chosen.choice.algorithm->name));
    request.choice = chosen.choice;
    return request;
}

Expected<SortRequest> resolve(SortArguments const& options) {
    KEYSWAP_RETURN_IF_ERROR(check_conflicts(options));
    KEYSWAP_TRY(auto request, resolve_sort(options));
    KEYSWAP_TRY(auto const format, model::parse_key_file_format(options.format.value_or("auto")));
    if (options.input) {
        KEYSWAP_TRY(request.file_path, readable_path(*options.input));
        request.file = options.input;
        request.file_options.format = format;
        request.file_options.column = options.column;
        if (options.type) {
            request.file_options.key_type = request.config.key_type;
        }
        return request;
    }
    KEYSWAP_TRY(request.keys, resolve_keys(options, request.config.key_type));
    return request;
}

Json config_json(SortRequest const& request) {
    model::SortConfig const& config = request.config;
    Json json{{"algorithm", request.choice.algorithm->name},
              {"variant", request.choice.variant->name},
              {"keys", config.key_count},
              {"gpu_count", config.gpu_count},
              {"type", to_string(config.key_type)},
              {"direction", to_string(config.direction)},
              {"values", to_string(config.value_type)},
              {"zero_order", to_string(config.zero_order)}};
    add_parameters(json, *request.choice.algorithm, config);
    add_input(json, request);
    return json;
}

void add_input(Json& json, SortRequest const& request) {
    if (request.file) {
        json["input"] = *request.file;
        if (request.file_options.column) {
            json["column"] = *request.file_options.column;
        }
        json["header"] = request.csv_header ? Json(*request.csv_header) : nullptr;
        if (request.other_csv_columns > 0) {
            json["other_columns"] = request.other_csv_columns;
        }
    } else if (request.keys) {
        json["distribution"] = request.keys->distribution;
        json["parameter"] = request.keys->parameter ? Json(*request.keys->parameter) : nullptr;
        json["seed"] = request.keys->seed;
        json["generator_version"] = model::generator_version;
    }
}

std::string input_text(SortRequest const& request) {
    model::SortConfig const& config = request.config;
    std::ostringstream text;
    text << counted(config.key_count, std::string(to_string(config.key_type)) + " key") << ", ";
    if (request.file) {
        text << "from " << display_name(*request.file);
        if (request.csv_header) {
            text << " without its header '" << printable_text(*request.csv_header) << '\'';
        }
        if (request.other_csv_columns > 0) {
            text << " and its other " << counted(request.other_csv_columns, "column")
                 << ", which are not written";
        }
    } else {
        text << request.keys->distribution;
        if (request.keys->parameter) {
            text << '(' << *request.keys->parameter << ')';
        }
        text << ", seed " << request.keys->seed;
    }
    return text.str();
}

std::string config_text(SortRequest const& request) {
    model::SortConfig const& config = request.config;
    std::ostringstream text;
    text << input_text(request);
    bool const by_cpu = request.choice.algorithm->gpus == GpuCounts::none;
    text << ", " << to_string(config.direction) << ", on "
         << (by_cpu ? "a CPU" : counted(config.gpu_count, "GPU")) << '\n';
    text << request.algorithm->name << parameters_text(*request.choice.algorithm, config) << '\n';
    return text.str();
}

void set_program_and_input(RunHeader& header,
                           SortRequest const& request,
                           MultisetDigest const& content) {
    header.program = "keyswap " + std::string(build_version());
    header.commit = build_commit();
    InputRecord input;
    input.content = content;
    if (request.file) {
        input.distribution = "file";
        input.file = *request.file;
        input.column = request.file_options.column;
        if (request.file_options.format) {
            input.format = to_string(*request.file_options.format);
        }
    } else {
        input.distribution = request.keys->distribution;
        input.parameter = request.keys->parameter;
        input.seed = request.keys->seed;
        input.generator_version = model::generator_version;
    }
    if (input.column || input.format) {
        constexpr int version_of_both = 3;
        header.version = std::max(header.version, version_of_both);
    }
    header.input = std::move(input);
}

} // namespace keyswap::tools
