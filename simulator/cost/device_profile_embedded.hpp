#pragma once

#include "simulator/platform/embedded_text.hpp"

#include <vector>

namespace keyswap::simulator {

/// Profiles of GPUs, ascending by name.
[[nodiscard]] std::vector<EmbeddedText> embedded_profiles();
/// Profiles of CPUs (devices/cpu-*.toml), ascending by name.
[[nodiscard]] std::vector<EmbeddedText> embedded_host_profiles();
/// Costs of partitioning and sorting for tables of rates (devices/rates-*.toml), ascending by name.
[[nodiscard]] std::vector<EmbeddedText> embedded_rate_profiles();

} // namespace keyswap::simulator
