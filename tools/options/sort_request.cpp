#include "tools/sort_request.hpp"

#include "model/counter_generator.hpp"
#include "model/distribution.hpp"
#include "tools/number_option.hpp"

#include <CLI/CLI.hpp>

#include <sstream>

namespace keyswap::tools {

namespace {

/// Options that say twice, or not at all, which keys are meant.
std::optional<InputError> contradiction(SortOptions const& options) {
    if (options.input && options.distribution) {
        return InputError{
            "--input and --distribution", "both say where the keys come from", "give one of them"};
    }
    if (options.input && options.key_count) {
        return InputError{
            "--input and --keys", "a file says itself how many keys it has", "leave --keys out"};
    }
    if (options.input && options.parameter) {
        return InputError{"--input and --parameter",
                          "only a distribution has a parameter",
                          "leave --parameter out"};
    }
    if (!options.input && !options.distribution) {
        return InputError{"--input or --distribution",
                          "one of them is needed",
                          "for instance --distribution uniform --keys 1e8"};
    }
    if (options.distribution && !options.key_count) {
        return InputError{"--keys", "is needed with --distribution", "for instance --keys 1e8"};
    }
    return std::nullopt;
}

Expected<model::SortConfig> resolve_config(SortOptions const& options) {
    model::SortConfig config;
    config.key_count = options.key_count.value_or(0);
    config.gpu_count = options.gpus;
    config.digit_bits = options.digit_bits;
    config.tolerance_ppm = options.tolerance_ppm;
    config.fuse_ppm = options.fuse_ppm;
    auto const type = parse_key_type(options.type.value_or("u32"));
    auto const direction = parse_direction(options.direction);
    auto const zero_order = parse_zero_order(options.zero_order);
    auto const values = parse_value_type(options.values);
    if (!type || !direction || !zero_order || !values) {
        return tl::unexpected(!type         ? type.error()
                              : !direction  ? direction.error()
                              : !zero_order ? zero_order.error()
                                            : values.error());
    }
    config.key_type = *type;
    config.direction = *direction;
    config.zero_order = *zero_order;
    config.value_type = *values;
    config.stability = Stability::stable; // the reference keeps equal keys in order at no cost
    return model::validated(config);
}

/// The keys of a distribution, its parameter filled in.
Expected<model::KeyRequest> resolve_keys(SortOptions const& options, KeyType type) {
    model::KeyRequest request;
    request.distribution = *options.distribution;
    request.parameter = options.parameter;
    request.key_type = type;
    request.key_count = *options.key_count;
    request.seed = options.seed;
    return model::KeyGenerator::make(request).map(
        [](model::KeyGenerator const& generator) { return generator.request(); });
}

} // namespace

void add_sort_options(CLI::App& command, SortOptions& options) {
    command.add_option("--input", options.input, "File of keys: raw little-endian, .npy or CSV");
    command.add_option("--format", options.format, "auto (by the file's name), raw, npy or csv")
        ->capture_default_str();
    command.add_option(
        "--distribution", options.distribution, "Make the keys; see 'keyswap distributions'");
    command.add_option("--parameter", options.parameter, "Of the distribution: exponent, bits ...");
    command
        .add_option_function<std::string>(
            "--keys",
            [&options](std::string const& text) {
                auto const count = parse_count(text, "--keys");
                if (!count) {
                    throw CLI::ValidationError(count.error().message());
                }
                options.key_count = *count;
            },
            "How many keys to make: 2e9, 2G, 2_000_000_000")
        ->type_name("COUNT");
    command.add_option("--seed", options.seed, "Of the distribution")->capture_default_str();
    command.add_option(
        "--type",
        options.type,
        "u32, u64, i32, i64, f32 or f64; made keys are u32 without it, and .npy files say it");
    command.add_option("--gpus", options.gpus, "GPUs, 1 to 1024")->capture_default_str();
    command.add_option("--algorithm", options.algorithm, "rmg, p2p-merge or het-merge")
        ->capture_default_str();
    command.add_option("--direction", options.direction, "ascending or descending")
        ->capture_default_str();
    command
        .add_option("--zero-order",
                    options.zero_order,
                    "Floats: total (-0.0 before +0.0) or equal, as CUB has it")
        ->capture_default_str();
    command.add_option("--digit-bits", options.digit_bits, "Bits that a pass reads, 1 to 16")
        ->capture_default_str();
    command
        .add_option("--tolerance-ppm",
                    options.tolerance_ppm,
                    "Overhang that a GPU takes at each end, in millionths of a chunk")
        ->capture_default_str();
    command
        .add_option("--fuse-ppm",
                    options.fuse_ppm,
                    "Neighbouring buckets are sorted together below this, in millionths of a chunk")
        ->capture_default_str();
}

Expected<SortRequest> resolve(SortOptions const& options) {
    if (auto const error = contradiction(options)) {
        return tl::unexpected(*error);
    }
    auto const config = resolve_config(options);
    auto const algorithm = model::find_algorithm(options.algorithm);
    auto const format = model::parse_key_file_format(options.format);
    if (!config || !algorithm || !format) {
        return tl::unexpected(!config      ? config.error()
                              : !algorithm ? algorithm.error()
                                           : format.error());
    }
    SortRequest request;
    request.config = *config;
    request.algorithm = *algorithm;
    if (options.input) {
        request.file = options.input;
        request.file_options.format = *format;
        if (options.type) {
            request.file_options.key_type = config->key_type;
        }
        return request;
    }
    auto const keys = resolve_keys(options, config->key_type);
    if (!keys) {
        return tl::unexpected(keys.error());
    }
    request.keys = *keys;
    return request;
}

nlohmann::ordered_json config_json(SortRequest const& request) {
    model::SortConfig const& config = request.config;
    nlohmann::ordered_json json{{"algorithm", request.algorithm->name},
                                {"keys", config.key_count},
                                {"gpus", config.gpu_count},
                                {"type", to_string(config.key_type)},
                                {"direction", to_string(config.direction)},
                                {"values", to_string(config.value_type)},
                                {"zero_order", to_string(config.zero_order)},
                                {"digit_bits", config.digit_bits},
                                {"tolerance_ppm", config.tolerance_ppm},
                                {"fuse_ppm", config.fuse_ppm}};
    if (request.file) {
        json["input"] = *request.file;
    } else {
        json["distribution"] = request.keys->distribution;
        json["parameter"] =
            request.keys->parameter ? nlohmann::ordered_json(*request.keys->parameter) : nullptr;
        json["seed"] = request.keys->seed;
        json["generator_version"] = model::generator_version;
    }
    return json;
}

std::string config_text(SortRequest const& request) {
    model::SortConfig const& config = request.config;
    std::ostringstream text;
    text << format_count(config.key_count) << ' ' << to_string(config.key_type) << " keys, ";
    if (request.file) {
        text << "from " << *request.file;
    } else {
        text << request.keys->distribution;
        if (request.keys->parameter) {
            text << '(' << *request.keys->parameter << ')';
        }
        text << ", seed " << request.keys->seed;
    }
    text << ", " << to_string(config.direction) << ", on " << config.gpu_count
         << (config.gpu_count == 1 ? " GPU" : " GPUs") << '\n';
    text << request.algorithm->name << ", digits of " << config.digit_bits << " bits, tolerance "
         << config.tolerance_ppm / 10000.0 << " %, groups fused below " << config.fuse_ppm / 10000.0
         << " % of a chunk\n";
    return text.str();
}

InputRecord input_record(SortRequest const& request) {
    InputRecord input;
    if (request.file) {
        input.distribution = "file";
        input.file = *request.file;
        return input;
    }
    input.distribution = request.keys->distribution;
    input.parameter = request.keys->parameter;
    input.seed = request.keys->seed;
    input.generator_version = model::generator_version;
    return input;
}

} // namespace keyswap::tools
