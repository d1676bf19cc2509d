#pragma once

/// \file What sorting and merging cost on the CPUs of a machine.

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// A CPU sort's time: base + n * key + n^2 * growth. The last term stands for what larger inputs
/// add a key (caches, TLBs, the second socket's memory); beyond the sizes that it was calibrated at
/// it is an extrapolation.
struct CpuSortCost {
    std::string algorithm; ///< "gnu-parallel", "paradis"
    int threads = 0;
    double base_ms = 0.0;
    double key_ps = 0.0;
    double growth_ps_per_Gkey = 0.0; ///< added to key_ps for every 1e9 keys of the input
    std::string origin;
};

/// Costs of a machine's CPUs.
struct HostProfile {
    std::string name;
    std::vector<std::string> platforms; ///< names of the platforms that have these CPUs
    double merge_byte_ps = 0.0;         ///< multiway merge, a byte of output
    double merge_base_ms = 0.0;
    std::string merge_origin;
    std::vector<CpuSortCost> sorts; ///< by algorithm, then threads
};

[[nodiscard]] Expected<HostProfile> parse_host_profile(std::string_view text,
                                                       std::string_view file);

/// The shipped profile that names the platform; where none does, the first shipped one.
[[nodiscard]] Expected<HostProfile> host_profile_of(std::string_view platform);

/// The entry with most threads up to `threads` (all where it is absent); nothing where the
/// algorithm was never measured on this machine.
[[nodiscard]] std::optional<CpuSortCost>
cpu_sort_cost(HostProfile const& profile, std::string_view algorithm, std::optional<int> threads);

} // namespace keyswap::simulator
