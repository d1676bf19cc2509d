#pragma once

/// \file `keyswap sort --with-rows`: sorts rows of a CSV or .npy table by some of its columns.

#include "tools/build/exit_code.hpp"
#include "tools/output/command_files.hpp"
#include "traces/errors/input_error.hpp"

#include <optional>
#include <string>

namespace keyswap::tools {

struct TableSort {
    std::string input;
    std::string output;
    std::string by;
    std::optional<std::string> schema;
    bool is_csv = false;             ///< regardless of the file name
    std::optional<unsigned> threads; ///< nullopt: one per core
    CommandFiles files;
    bool json = false;
};

/// Writes the input rows, unchanged, in sorted order, and checks them.
[[nodiscard]] Expected<ExitCode> sort_table(TableSort const& sort);

} // namespace keyswap::tools
