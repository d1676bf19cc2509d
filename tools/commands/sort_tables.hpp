#pragma once

/// \file `keyswap sort --with-rows`: a table of CSV or .npy in the order of some of its columns.

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
    bool is_csv = false;             ///< whatever the input's name says
    std::optional<unsigned> threads; ///< none: one a core
    CommandFiles files;
    bool json = false;
};

/// Writes the rows, as they are in the input, in the order of the keys, and checks them.
[[nodiscard]] Expected<ExitCode> sort_table(TableSort const& sort);

} // namespace keyswap::tools
