#pragma once

/// \file --backend of operations that are no sorts.

#include "traces/errors/input_error.hpp"

#include <string>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// \param description of what can be given
void add_backend_option(CLI::App& command, std::string& backend, std::string const& description);

/// Of an operation without kernels: refuses every backend but "cpu". \param command that asks
[[nodiscard]] Expected<void> check_cpu_backend(std::string const& backend,
                                               std::string const& command);

} // namespace keyswap::tools
