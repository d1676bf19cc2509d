#pragma once

/// \file --record-bytes and --key: files of fixed-size records that contain a key.

#include "model/external/record_layout.hpp"
#include "model/key_files/key_file.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// Unresolved values of the options.
struct RecordArguments {
    std::optional<std::uint64_t> bytes;
    std::optional<std::string> key;
};

/// Adds --record-bytes and --key.
void add_record_options(CLI::App& command, RecordArguments& options);

/// Resolves both options. \param type key type as given by --type; nullopt: bytes
/// \pre both are given
[[nodiscard]] Expected<model::RecordLayout> parse_layout(RecordArguments const& options,
                                                         std::optional<std::string> const& type,
                                                         Direction direction);

/// Returns an error unless an output of records is raw. \param format --output-format, if given
[[nodiscard]] Expected<void> expect_raw_records(std::string const& output,
                                                std::optional<model::KeyFileFormat> format);

/// Returns an error if only one of the two options is given.
[[nodiscard]] Expected<void> check_record_options(RecordArguments const& options);

} // namespace keyswap::tools
