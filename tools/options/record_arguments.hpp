#pragma once

/// \file --record-bytes and --key: files of records with a key anywhere in them.

#include "model/external/record_layout.hpp"
#include "model/keys/key_file.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// As the user gave them.
struct RecordArguments {
    std::optional<std::uint64_t> bytes;
    std::optional<std::string> key;
};

/// Adds --record-bytes and --key.
void add_record_options(CLI::App& command, RecordArguments& options);

/// What they say together. \param type of the key, as --type names it; nullopt: bytes
/// \pre both are given
[[nodiscard]] Expected<model::RecordLayout> parse_layout(RecordArguments const& options,
                                                         std::optional<std::string> const& type,
                                                         Direction direction);

/// Refuses a file for records that would not be raw. \param format --output-format, if there is one
[[nodiscard]] Expected<void> expect_raw_records(std::string const& output,
                                                std::optional<model::KeyFileFormat> format);

/// Refuses one without the other.
[[nodiscard]] Expected<void> check_record_options(RecordArguments const& options);

} // namespace keyswap::tools
