#pragma once

/// \file `keyswap verify --exchange`: tables of what ranks sent each other and received.

#include "tools/build/exit_code.hpp"
#include "traces/errors/input_error.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Holds the tables against each other, and says which pairs of ranks count differently.
/// \param paths of tables, of one rank each or of more
/// \param all prints every pair, not only the first ten
Expected<ExitCode>
verify_exchange(std::vector<std::string> const& paths, bool all, bool json, std::ostream& out);

} // namespace keyswap::tools
