#pragma once

/// \file What `plan`, `sort` and similar commands ask of the command line: which keys, on how many
/// GPUs, by which algorithm.

#include "model/keys/key_file.hpp"
#include "model/keys/key_generator.hpp"
#include "model/plan/sort_config.hpp"
#include "model/sorts/algorithm.hpp"
#include "tools/options/algorithm_options.hpp"
#include "tools/text/json.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// As the user gave them.
struct SortArguments {
    std::optional<std::string> input;
    std::optional<std::string> distribution;
    std::optional<double> parameter;
    std::optional<std::string> format; ///< "auto" without it
    std::optional<std::string> column;
    std::optional<std::string> type;
    std::optional<std::uint64_t> key_count;
    std::optional<std::uint64_t> seed;
    std::optional<std::uint32_t> gpu_count; ///< 8 by default
    AlgorithmOptions algorithm;
    std::string direction = "ascending";
    std::string zero_order = "total";
    std::string values = "none";
};

/// Adds those that say which keys: a file, or a distribution.
void add_key_options(CLI::App& command, SortArguments& options);
/// Adds all options of a sort to a command.
void add_sort_options(CLI::App& command, SortArguments& options);

/// The options, understood. Exactly one of `file` and `keys` is there; the configuration's number
/// of keys is that of `keys`, or 0 until the file is read.
struct SortRequest {
    model::SortConfig config;
    AlgorithmChoice choice;
    model::Algorithm const* algorithm = nullptr; ///< the choice's model
    std::optional<std::string> file;             ///< as the user named it
    std::string file_path;                       ///< where its keys are read
    model::KeyFileOptions file_options;
    std::optional<std::string>
        file_heading;                   ///< of a CSV file that was read: a row that is not a key
    std::size_t file_other_columns = 0; ///< of a CSV file that was read
    std::optional<model::KeyRequest> keys;
};

/// Refuses what contradicts itself or cannot be done, naming the options.
[[nodiscard]] Expected<SortRequest> resolve(SortArguments const& options);

/// The same without the keys: what is sorted how, and by what.
[[nodiscard]] Expected<SortRequest> resolve_sort(SortArguments const& options);

/// The resolved input as every output repeats it.
[[nodiscard]] Json config_json(SortRequest const& request);

/// Adds where the keys come from: a file, or a distribution with its seed; nothing for keys that
/// are in memory.
void add_input(Json& json, SortRequest const& request);

/// "1,000 u32 keys, uniform, seed 1".
[[nodiscard]] std::string input_text(SortRequest const& request);

/// The configuration in two lines of text.
[[nodiscard]] std::string config_text(SortRequest const& request);

/// Says in a trace which program wrote it, and where its keys came from, in the version of the
/// format that can. \param content digest of all keys
void set_program_and_input(RunHeader& header,
                           SortRequest const& request,
                           MultisetDigest const& content);

} // namespace keyswap::tools
