#pragma once

/// \file `keyswap verify --exchange`: checks tables of sent and received counts of ranks.

#include "tools/build/exit_code.hpp"
#include "traces/errors/input_error.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Compares the tables, and reports pairs of ranks with different counts.
/// \param paths tables, each of one or more ranks
/// \param all true: prints all pairs; false: only the first ten
Expected<ExitCode>
verify_exchange(std::vector<std::string> const& paths, bool all, bool json, std::ostream& out);

} // namespace keyswap::tools
