#pragma once

/// \file --record-bytes and --key: files of records with a key anywhere in them.

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

/// Refuses one without the other.
[[nodiscard]] Expected<void> check_record_options(RecordArguments const& options);

} // namespace keyswap::tools
