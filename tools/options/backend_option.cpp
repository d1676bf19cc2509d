#include "tools/options/backend_option.hpp"

#include "tools/options/accept_only.hpp"

#include <CLI/CLI.hpp>

namespace keyswap::tools {

void add_backend_option(CLI::App& command, std::string& backend, std::string const& description) {
    accept_only(*command.add_option("--backend", backend, description)->capture_default_str(),
                {"cpu", "cuda"});
}

} // namespace keyswap::tools
