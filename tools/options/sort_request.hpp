#pragma once

/// \file Common options of `plan`, `sort` and similar commands: keys, number of GPUs, and
/// algorithm.

#include "model/distributions/key_generator.hpp"
#include "model/key_files/key_file.hpp"
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

/// Unresolved values of the options.
struct SortArguments {
    std::optional<std::string> input;
    std::optional<std::string> distribution;
    std::optional<double> parameter;
    std::optional<std::string> format; ///< "auto" if absent
    std::optional<std::string> column;
    std::optional<std::string> type;
    std::optional<std::uint64_t> key_count;
    std::optional<std::uint64_t> seed;
    std::optional<std::uint32_t> gpu_count; ///< 8 if absent, or 1 for single-GPU sorts
    AlgorithmOptions algorithm;
    std::string direction = "ascending";
    std::string zero_order = "total";
    std::string values = "none";
};

/// Adds the options that select keys: a file or a distribution.
void add_key_options(CLI::App& command, SortArguments& options);
/// Adds all options of a sort.
void add_sort_options(CLI::App& command, SortArguments& options);

/// Resolved options. Exactly one of `file` and `keys` is set; config.key_count is that of `keys`,
/// or 0 until the file has been read.
struct SortRequest {
    model::SortConfig config;
    AlgorithmChoice choice;
    model::Algorithm const* algorithm = nullptr; ///< model of `choice`
    std::optional<std::string> file;             ///< name given by the user
    std::string file_path;                       ///< path to open
    model::KeyFileOptions file_options;
    std::optional<std::string>
        csv_header;                    ///< header of the CSV file, nullopt until it has been read
    std::size_t other_csv_columns = 0; ///< ignored CSV columns, once the file has been read
    std::optional<model::KeyRequest> keys;
};

/// Resolves the options; returns an error naming those that conflict or are invalid.
[[nodiscard]] Expected<SortRequest> resolve(SortArguments const& options);

/// Like resolve(), without the keys: only configuration and algorithm.
[[nodiscard]] Expected<SortRequest> resolve_sort(SortArguments const& options);

/// The resolved input, as repeated in every output.
[[nodiscard]] Json config_json(SortRequest const& request);

/// Adds the source of the keys: a file, or a distribution with its seed; nothing for keys in
/// memory.
void add_input(Json& json, SortRequest const& request);

/// "1,000 u32 keys, uniform, seed 1".
[[nodiscard]] std::string input_text(SortRequest const& request);

/// Input and configuration in two lines.
[[nodiscard]] std::string config_text(SortRequest const& request);

/// Sets a trace header's program and the origin of the keys, and the format version that supports
/// them. \param content digest of all keys
void set_program_and_input(RunHeader& header,
                           SortRequest const& request,
                           MultisetDigest const& content);

} // namespace keyswap::tools
