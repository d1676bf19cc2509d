#pragma once

/// \file --backend of operations that are not sorts.

#include <string>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// \param description of what can be given
void add_backend_option(CLI::App& command, std::string& backend, std::string const& description);

} // namespace keyswap::tools
