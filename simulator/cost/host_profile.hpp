#pragma once

/// \file What sorting and merging cost on the CPUs of a machine.

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// A CPU sort's time: base + n * (key + level * log2 n), and the last pass of the buckets that need
/// it. Bounded at both ends: below by the base, beyond the sizes measured by the logarithm. Keys of
/// 64 bits take twice the terms of a key; the memory's bandwidth bounds all (CpuWork).
struct CpuSortCost {
    std::string algorithm; ///< "gnu-parallel", "paradis"
    int threads = 0;
    double base_ms = 0.0;
    double key_ps = 0.0;   ///< a key: of a radix sort, whose passes do not depend on n
    double level_ps = 0.0; ///< a key and doubling of the input: of a merge sort
    /// Radix sorts finish small buckets by insertion. After three digits of 8 bits there are 2^24
    /// buckets; those of more than 64 keys take a fourth pass, which walks 256 counters for each.
    /// This is the time of all of them, whatever the number of keys.
    double last_pass_ms = 0.0;
    std::vector<std::uint64_t> measured_keys; ///< sizes that the costs were fitted to, ascending
    std::string origin;
};

/// What it makes of so many keys of so many bytes.
[[nodiscard]] double
cpu_sort_seconds(CpuSortCost const& cost, std::uint64_t key_count, std::size_t key_bytes);

/// Doublings between a size and the nearest one that was measured, at least 1: between two measured
/// sizes a law is not surer than a doubling beside one.
[[nodiscard]] double octaves_from_measured(CpuSortCost const& cost, std::uint64_t key_count);

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
