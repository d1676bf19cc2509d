#pragma once

/// \file --backend of commands that only the reference carries out so far.

#include "traces/errors/input_error.hpp"

#include <string>

namespace CLI {
class App;
}

namespace keyswap::tools {

void add_backend_option(CLI::App& command, std::string& backend);

/// Refuses every backend but "cpu". \param command that asks
[[nodiscard]] Expected<void> check_cpu_backend(std::string const& backend,
                                               std::string const& command);

} // namespace keyswap::tools
