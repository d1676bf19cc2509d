#pragma once

/// \file Costs of sorting and merging on the CPUs of a machine.

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// Time of a CPU sort: base + n * (key + level * log2 n), plus the last pass of the buckets that
/// need it. Applies at any size: the base bounds it below, the logarithm extrapolates. Keys of 64
/// bits take twice the per-key terms; the memory bandwidth limits all (CpuWork).
struct CpuSortCost {
    std::string algorithm; ///< "gnu-parallel", "paradis"
    int threads = 0;
    double base_ms = 0.0;
    double key_ps = 0.0;   ///< per key: radix sorts, whose passes do not depend on n
    double level_ps = 0.0; ///< per key and doubling of n: merge sorts
    /// Radix sorts finish small buckets by insertion. After three digits of 8 bits there are 2^24
    /// buckets; those of more than 64 keys take a fourth pass over 256 counters each. This is the
    /// time if all buckets take it, for any number of keys.
    double last_pass_ms = 0.0;
    std::vector<std::uint64_t> measured_keys; ///< sizes of the fitted runs, ascending
    std::string origin;
};

/// Seconds to sort `key_count` keys of `key_bytes` bytes by this law.
[[nodiscard]] double
cpu_sort_seconds(CpuSortCost const& cost, std::uint64_t key_count, std::size_t key_bytes);

/// Distance of a size to the nearest measured one in doublings, at least 1: between two measured
/// sizes the law is no more certain than one doubling away from them.
[[nodiscard]] double octaves_from_measured(CpuSortCost const& cost, std::uint64_t key_count);

/// Costs of the CPUs of one or more platforms.
struct HostProfile {
    std::string name;
    std::vector<std::string> platforms; ///< platforms with these CPUs
    double merge_byte_ps = 0.0;         ///< multiway merge: per byte of output
    double merge_base_ms = 0.0;
    std::string merge_origin;
    std::vector<CpuSortCost> sorts; ///< by algorithm, then threads
};

[[nodiscard]] Expected<HostProfile> parse_host_profile(std::string_view text,
                                                       std::string_view file);

/// The shipped profile that lists the platform; if none does, the first shipped profile.
[[nodiscard]] Expected<HostProfile> host_profile_of(std::string_view platform);

/// The entry with most threads up to `threads` (of all, if nullopt), else the smallest, scaled to
/// fewer threads; nullopt if the algorithm was never measured on this machine.
[[nodiscard]] std::optional<CpuSortCost>
cpu_sort_cost(HostProfile const& profile, std::string_view algorithm, std::optional<int> threads);

} // namespace keyswap::simulator
