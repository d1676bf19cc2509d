#include "tools/options/backend_option.hpp"

#include <CLI/CLI.hpp>

namespace keyswap::tools {

void add_backend_option(CLI::App& command, std::string& backend, std::string const& description) {
    command.add_option("--backend", backend, description)->capture_default_str();
}

} // namespace keyswap::tools
