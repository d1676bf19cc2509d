#pragma once

#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// An embedded file of simulator/devices. The build generates these functions.
struct EmbeddedProfile {
    std::string_view name; ///< file name without ".toml"
    std::string_view text;
};

/// Profiles of GPUs, ascending by name.
[[nodiscard]] std::vector<EmbeddedProfile> embedded_profiles();
/// Profiles of CPUs (devices/cpu-*.toml), ascending by name.
[[nodiscard]] std::vector<EmbeddedProfile> embedded_host_profiles();
/// Costs of partitioning and sorting for tables of rates (devices/rates-*.toml), ascending by name.
[[nodiscard]] std::vector<EmbeddedProfile> embedded_rate_profiles();

} // namespace keyswap::simulator
