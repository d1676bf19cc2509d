#pragma once

/// \file Durations of multisplits, histograms and radix sorts on one GPU, from a rate profile.
/// Bytes move at the profile's bandwidth and computation partly overlaps with them: a kernel that
/// needs a for memory and b for computation takes sqrt(a^2 + b^2), or up to a + b the fewer blocks
/// a multiprocessor has room for, as with just one there is no overlap.

#include "simulator/cost/rate_profile.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// Input of a partition, and the method.
struct PartitionLoad {
    std::string method;         ///< "block", "reduced-bit", "cub-radix" ...
    std::string rule = "digit"; ///< digit, delta, even or splitters
    std::uint32_t buckets = 2;
    std::string distribution = "uniform"; ///< of keys over buckets; or alpha-uniform, binomial
    double parameter = 0.0;
    int key_bytes = 4;
    int value_bytes = 0;
    std::uint64_t key_count = 0;
};

/// Milliseconds per stage; 0 for stages that the method lacks.
struct StageTimes {
    double pre_scan_ms = 0.0;
    double scan_ms = 0.0;
    double post_scan_ms = 0.0;
    double label_ms = 0.0;
    double sort_ms = 0.0;
    double pack_ms = 0.0; ///< packing key and value into one word, and unpacking

    [[nodiscard]] double total_ms() const {
        return pre_scan_ms + scan_ms + post_scan_ms + label_ms + sort_ms + pack_ms;
    }
    /// Time by the stage's name in rate tables, "all" for the total; nullopt for other names.
    [[nodiscard]] std::optional<double> stage_ms(std::string_view stage) const;
};

/// Expected number of non-empty buckets among `tile_keys` keys; nullopt for distributions other
/// than uniform, alpha-uniform and binomial. Source: GPU Multisplit, section 6.4.
[[nodiscard]] std::optional<double> buckets_present(PartitionLoad const& load, double tile_keys);

/// nullopt if the profile lacks the method's costs, or the method does not support the load.
[[nodiscard]] std::optional<StageTimes> multisplit_cost(RateProfile const& profile,
                                                        PartitionLoad const& load);

/// Milliseconds by "block" (counting alone), "histogram" or "cub-histogram"; nullopt likewise.
[[nodiscard]] std::optional<double> histogram_cost_ms(RateProfile const& profile,
                                                      PartitionLoad const& load);

/// Milliseconds of the library's radix sort on `bits` bits: ceil(bits / pass bits) passes of equal
/// width; each takes key + hypot(bytes / bandwidth, counters * digit). nullopt without such costs.
[[nodiscard]] std::optional<double>
radix_sort_ms(RateProfile const& profile, PartitionLoad const& load, int bits);

/// Bits of each step of a sort by block multisplits: `digit_bits` each, the last one the rest.
/// Source: GPU Multisplit, section 7.1.
[[nodiscard]] std::vector<int> multisplit_sort_steps(int key_bits, int digit_bits);

/// A multisplit method.
struct MultisplitChoice {
    std::string_view method;
    bool stable;
};

/// All methods that multisplit_cost() supports.
[[nodiscard]] std::vector<MultisplitChoice> multisplit_choices();

} // namespace keyswap::simulator
