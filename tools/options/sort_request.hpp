#pragma once

/// \file What `plan`, `sort` and their kin ask of the command line: which keys, on how many GPUs,
/// by which algorithm.

#include "model/algorithm.hpp"
#include "model/key_file.hpp"
#include "model/key_generator.hpp"
#include "model/sort_config.hpp"
#include "traces/input_error.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// As the user gave them.
struct SortOptions {
    std::optional<std::string> input;
    std::optional<std::string> distribution;
    std::optional<double> parameter;
    std::string format = "auto";
    std::optional<std::string> type;
    std::optional<std::uint64_t> key_count;
    std::uint64_t seed = 1;
    std::uint32_t gpus = 8;
    std::string algorithm = "rmg";
    std::string direction = "ascending";
    std::string zero_order = "total";
    std::string values = "none";
    int digit_bits = 8;
    std::uint32_t tolerance_ppm = 5000;
    std::uint32_t fuse_ppm = 10000;
};

/// Adds the options to a command.
void add_sort_options(CLI::App& command, SortOptions& options);

/// The options, understood. Exactly one of `file` and `keys` is there; the configuration's number
/// of keys is that of `keys`, or 0 until the file is read.
struct SortRequest {
    model::SortConfig config;
    model::Algorithm const* algorithm = nullptr;
    std::optional<std::string> file;
    model::KeyFileOptions file_options;
    std::optional<model::KeyRequest> keys;
};

/// Refuses what contradicts itself or cannot be done, naming the options.
[[nodiscard]] Expected<SortRequest> resolve(SortOptions const& options);

/// The resolved input as every output repeats it.
[[nodiscard]] nlohmann::ordered_json config_json(SortRequest const& request);

/// The same in two lines of text.
[[nodiscard]] std::string config_text(SortRequest const& request);

/// What a trace says of where the keys came from.
[[nodiscard]] InputRecord input_record(SortRequest const& request);

} // namespace keyswap::tools
