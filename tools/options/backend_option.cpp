#include "tools/options/backend_option.hpp"

#include <CLI/CLI.hpp>

namespace keyswap::tools {

void add_backend_option(CLI::App& command, std::string& backend, std::string const& description) {
    command.add_option("--backend", backend, description)->capture_default_str();
}

Expected<void> check_cpu_backend(std::string const& backend, std::string const& command) {
    if (backend == "cpu") {
        return {};
    }
    bool const known = backend == "cuda";
    return tl::unexpected(
        InputError{"--backend " + backend,
                   known ? "has no kernels for " + command + " yet" : std::string("is not known"),
                   "give --backend cpu"});
}

} // namespace keyswap::tools
