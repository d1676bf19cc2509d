#pragma once

/// \file Costs of partitioning and sorting in the memory of one device, a GPU or CPU: constants
/// with unit and origin. partition_cost.hpp and sort_law.hpp turn them into times. No constant is
/// specific to a number of buckets, a distribution, a table or a row.

#include "simulator/cost/profile_constants.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// Multisplit in three stages: count tiles, scan their counters, scatter. Source: GPU Multisplit,
/// sections 4 and 5.
struct PartitionCosts {
    double direct_tile_keys = 0.0; ///< keys per column of counters, by method
    double warp_tile_keys = 0.0;
    double block_tile_keys = 0.0;
    double tile_ps = 0.0;         ///< per tile in counting, and in scattering
    double entry_ps = 0.0;        ///< per counter accessed, uncoalesced by all 32 lanes
    double vote_ps = 0.0;         ///< per key and round of ballots
    double divide_ps = 0.0;       ///< per key: division, warps not synchronized
    double divide_block_ps = 0.0; ///< likewise between barriers of a block
    double search_ps = 0.0;       ///< per key and level of a binary search in splitters
    double run_ps = 0.0;          ///< per run of a bucket written by a tile, and word
    double block_ps = 0.0;        ///< per key reordered within a block's tile
    double segment_ps = 0.0;      ///< scatter: per key and 32 buckets beyond the first
    double label_ps = 0.0;        ///< per key: label computed and written
    double split_ps = 0.0;        ///< per key and round of a split by one scan
    double shared_KiB = 0.0;      ///< shared memory per multiprocessor
};

/// Radix sort of the device's library, per pass. Source: GPU Multisplit, section 7.1.
struct RadixCosts {
    double pass_bits = 8.0;
    double bandwidth_GBps = 0.0; ///< of bytes read and written by a pass
    double key_ps = 0.0;         ///< per key, besides its bytes
    double digit_ps = 0.0;       ///< per key and counter of a digit
    double value_digit_ps = 0.0; ///< likewise, per 4 bytes of value
};

/// Histogram of the device's library by atomics in shared memory.
struct LibraryHistogramCosts {
    double count_ps = 0.0;    ///< per sample
    double conflict_ps = 0.0; ///< per sample and key of its warp on the same counter
    double search_ps = 0.0;   ///< per sample and level of a binary search in edges
};

/// Multisplit and histograms by shared-memory atomics and one pass with decoupled look-back.
/// Source: kernels/DECISIONS.md.
struct FusedCosts {
    double rank_ps = 0.0;     ///< per key
    double vote_ps = 0.0;     ///< per key and round of ballots
    double word_ps = 0.0;     ///< per key and 4 bytes of element beyond the first
    double walk_ps = 0.0;     ///< per key: label written and read again
    double level_ps = 0.0;    ///< per key and level of the splitter tree
    double quotient_ps = 0.0; ///< per key: its divisions
    double split_ps = 0.0;    ///< per key of a two-way split, in total
    double atomic_ps = 0.0;   ///< per key of a step that keeps no order
};

/// Multisplit by one-bit splits of a tile: count tiles, scan their counters, sort each tile bit by
/// bit and move it. Source: Fast Sort on CPUs, GPUs and Intel MIC, section 3; kernels/DECISIONS.md.
struct BitSplitCosts {
    double tile_keys = 0.0;      ///< keys per column of counters
    double count_ps = 0.0;       ///< per key counted
    double entry_ps = 0.0;       ///< per counter of a tile written
    double scan_launch_us = 0.0; ///< scan of the counters, in several kernels
    double scan_ps = 0.0;        ///< per counter scanned
    double place_ps = 0.0;       ///< per key: loaded into its tile and stored
    double bit_ps = 0.0;         ///< per key and bit: scan, and move within the tile
};

/// A sort whose steps all take the same number of cycles. Source: Fast Sort on CPUs, GPUs and Intel
/// MIC, sections 3 and 4.
struct SortLaw {
    double cycles = 0.0;       ///< per key and step of one core, 4-byte keys
    double digit_bits = 0.0;   ///< bits per step; 0: a step doubles the length of runs
    double launch_us = 0.0;    ///< per sort
    double moves = 0.0;        ///< fraction of a step that scales with key bytes
    double value = 0.0;        ///< added fraction of a step per 4-byte value
    double bound_bytes = 0.0;  ///< element bytes from which memory limits; 0: never
    double spill_cycles = 0.0; ///< added to a step per key that the cache cannot hold
    double cache_MB = 0.0;
};

/// All measured costs of one device; nullopt if not measured.
struct RateProfile {
    std::string name;
    std::string description;
    double bandwidth_GBps = 0.0; ///< of a streaming kernel, read + written
    double scan_launch_us = 0.0; ///< per scan of the counters
    double memory_GB = 0.0;      ///< of the device; 0: not in the file
    double cores = 0.0;          ///< used by laws in cycles
    double clock_GHz = 0.0;
    std::optional<PartitionCosts> partition;
    std::optional<RadixCosts> radix;
    std::optional<LibraryHistogramCosts> library_histogram;
    std::optional<FusedCosts> fused;
    std::optional<BitSplitCosts> bit_split;
    std::map<std::string, SortLaw, std::less<>> sorts; ///< by method
    std::map<std::string, std::string> origins;
};

/// More keys would take days on any device; byte counts stay far from overflow.
inline constexpr std::uint64_t predicted_keys_max = 10'000'000'000'000;

/// Most elements with room for the input and the output of a step; nullopt if the profile lacks the
/// size of the device's memory.
[[nodiscard]] std::optional<std::uint64_t> elements_that_fit(RateProfile const& profile,
                                                             std::uint64_t element_bytes);

/// Pointers to all constants of `profile`, in the file's order.
[[nodiscard]] std::vector<ProfileConstant> constants_of(RateProfile& profile);

/// Parses a profile. \return an error naming file and constant
[[nodiscard]] Expected<RateProfile> parse_rate_profile(std::string_view text,
                                                       std::string_view file);

/// Serializes the profile; parse_rate_profile() reads back an equal one.
[[nodiscard]] std::string write_rate_profile(RateProfile const& profile);

/// Loads a shipped profile by name ("k40c"), or a file, by its path.
[[nodiscard]] Expected<RateProfile> load_rate_profile(std::string const& name_or_path);

/// Names of the shipped profiles, ascending.
[[nodiscard]] std::vector<std::string> shipped_rate_profiles();

} // namespace keyswap::simulator
