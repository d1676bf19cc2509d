#pragma once

/// \file What partitioning and sorting the memory of one device costs: constants of a GPU's or a
/// CPU's own, each with unit and origin. partition_cost.hpp and sort_law.hpp say how they make
/// times. No constant belongs to a number of buckets, a distribution, a table or a row.

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
    double direct_tile_keys = 0.0; ///< keys that share a column of counters, by method
    double warp_tile_keys = 0.0;
    double block_tile_keys = 0.0;
    double tile_ps = 0.0;         ///< a tile, whatever it holds, in each of counting and scattering
    double entry_ps = 0.0;        ///< a counter written or read where 32 of a warp lie apart
    double vote_ps = 0.0;         ///< a key and round of ballots
    double divide_ps = 0.0;       ///< a key's quotient where warps run free of each other
    double divide_block_ps = 0.0; ///< the same between barriers of a block
    double search_ps = 0.0;       ///< a key and level of a search among splitters
    double run_ps = 0.0;          ///< a run of keys of one bucket that a tile writes, a word of it
    double block_ps = 0.0;        ///< a key of a tile that a block puts in order
    double segment_ps = 0.0;      ///< a key and 32 buckets beyond the first 32, scattering
    double label_ps = 0.0;        ///< a key's label found and written
    double split_ps = 0.0;        ///< a key and round of a split by one scan
    double shared_KiB = 0.0;      ///< memory that blocks share, of a multiprocessor
};

/// A radix sort of the device's library, a pass. Source: GPU Multisplit, section 7.1.
struct RadixCosts {
    double pass_bits = 8.0;
    double bandwidth_GBps = 0.0; ///< of what a pass reads and writes
    double key_ps = 0.0;         ///< a key, beside its bytes
    double digit_ps = 0.0;       ///< a key and counter of a digit
    double value_digit_ps = 0.0; ///< the same, for each 4 bytes of a value
};

/// A histogram of the device's library by atomics in shared memory.
struct LibraryHistogramCosts {
    double count_ps = 0.0;    ///< a sample
    double conflict_ps = 0.0; ///< a sample of a warp that meets another one on its counter
    double search_ps = 0.0;   ///< a sample and level of a search among edges
};

/// Multisplit and histograms by shared atomics and one pass of look-back. Source:
/// kernels/DECISIONS.md.
struct FusedCosts {
    double rank_ps = 0.0;     ///< a key
    double vote_ps = 0.0;     ///< a key and round of ballots
    double word_ps = 0.0;     ///< a key, for each 4 bytes of key and value beyond the first
    double walk_ps = 0.0;     ///< a key's label written and read again
    double level_ps = 0.0;    ///< a key and level of a tree of splitters
    double quotient_ps = 0.0; ///< a key's quotients
    double split_ps = 0.0;    ///< a key split in two, all in all
    double atomic_ps = 0.0;   ///< a key of a step that keeps no order
};

/// Multisplit by one-bit splits of a tile: count tiles, scan their counters, sort each tile bit by
/// bit and move it. Source: Fast Sort on CPUs, GPUs and Intel MIC, section 3; kernels/DECISIONS.md.
struct BitSplitCosts {
    double tile_keys = 0.0;      ///< keys that share a column of counters
    double count_ps = 0.0;       ///< a key counted
    double entry_ps = 0.0;       ///< a counter of a tile written
    double scan_launch_us = 0.0; ///< of the scan of counters, which is several kernels
    double scan_ps = 0.0;        ///< a counter scanned
    double place_ps = 0.0;       ///< a key taken into its tile and out again
    double bit_ps = 0.0;         ///< a key and bit: its scan, and its way within the tile
};

/// A sort whose steps cost equally many cycles each. Source: Fast Sort on CPUs, GPUs and Intel MIC,
/// sections 3 and 4.
struct SortLaw {
    double cycles = 0.0;       ///< a key and step of one core, keys of 4 bytes
    double digit_bits = 0.0;   ///< a step sorts by; 0: a step doubles the length of runs
    double launch_us = 0.0;    ///< a sort
    double moves = 0.0;        ///< part of a step that grows with a key's bytes
    double value = 0.0;        ///< part of a step that a value of 4 bytes adds
    double bound_bytes = 0.0;  ///< of key and value, from which on memory binds; 0: never
    double spill_cycles = 0.0; ///< added to a step for keys that the cache does not hold
    double cache_MB = 0.0;
};

/// All costs of one device that somebody has measured.
struct RateProfile {
    std::string name;
    std::string description;
    double bandwidth_GBps = 0.0; ///< of a kernel that streams, read and written
    double scan_launch_us = 0.0; ///< of a scan of the counters
    double cores = 0.0;          ///< of laws in cycles
    double clock_GHz = 0.0;
    std::optional<PartitionCosts> partition;
    std::optional<RadixCosts> radix;
    std::optional<LibraryHistogramCosts> library_histogram;
    std::optional<FusedCosts> fused;
    std::optional<BitSplitCosts> bit_split;
    std::map<std::string, SortLaw, std::less<>> sorts; ///< by method
    std::map<std::string, std::string> origins;
};

/// All constants of a profile, in the file's order.
[[nodiscard]] std::vector<ProfileConstant> constants_of(RateProfile& profile);

/// Reads a profile. \return an error naming file and constant
[[nodiscard]] Expected<RateProfile> parse_rate_profile(std::string_view text,
                                                       std::string_view file);

/// The text of a profile that reads back equal.
[[nodiscard]] std::string write_rate_profile(RateProfile const& profile);

/// A shipped profile by name ("k40c"), or a file's.
[[nodiscard]] Expected<RateProfile> load_rate_profile(std::string const& name_or_path);

/// Names of the shipped profiles, ascending.
[[nodiscard]] std::vector<std::string> shipped_rate_profiles();

} // namespace keyswap::simulator
