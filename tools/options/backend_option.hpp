#pragma once

/// \file --backend of commands that run on cores or GPUs; `sort` has the reference, too.

#include <string>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// Refuses anything but "cpu" and "cuda". \param description of these two
void add_backend_option(CLI::App& command, std::string& backend, std::string const& description);

} // namespace keyswap::tools
