#pragma once

/// \file --backend for commands that run on CPU or GPUs; `sort` also has the reference.

#include <string>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// Adds --backend, which accepts "cpu" and "cuda". \param description help text for both
void add_backend_option(CLI::App& command, std::string& backend, std::string const& description);

} // namespace keyswap::tools
