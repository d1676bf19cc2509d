#pragma once

/// \file `keyswap simulate --external`: how long a sort on files would take.

#include "tools/build/exit_code.hpp"
#include "tools/options/simulation_options.hpp"

#include <cstdint>
#include <optional>

namespace keyswap::tools {

/// \param memory_bytes given to the sort, --memory
[[nodiscard]] Expected<ExitCode> simulate_external(SimulationOptions const& options,
                                                   std::optional<std::uint64_t> memory_bytes,
                                                   bool json);

} // namespace keyswap::tools
