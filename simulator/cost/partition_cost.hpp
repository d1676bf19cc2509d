#pragma once

/// \file Times of multisplits, histograms and radix sorts on one GPU from the constants of a rate
/// profile. Bytes move at the profile's bandwidth; what is computed meanwhile hides behind them in
/// part: a kernel that needs the memory for a and its cores for b takes sqrt(a^2 + b^2), and one
/// whose blocks leave each other less room, up to a + b where one is alone.

#include "simulator/cost/rate_profile.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// What is to be partitioned, and how.
struct PartitionLoad {
    std::string method;         ///< "block", "reduced-bit", "cub-radix" ...
    std::string rule = "digit"; ///< digit, delta, even or splitters
    std::uint32_t buckets = 2;
    std::string distribution = "uniform"; ///< of keys over buckets: or alpha-uniform, binomial
    double parameter = 0.0;
    int key_bytes = 4;
    int value_bytes = 0;
    std::uint64_t key_count = 0;
};

/// Milliseconds of a method's stages; those that it lacks are 0.
struct StageTimes {
    double pre_scan_ms = 0.0;
    double scan_ms = 0.0;
    double post_scan_ms = 0.0;
    double label_ms = 0.0;
    double sort_ms = 0.0;
    double pack_ms = 0.0; ///< of key and value into one word, and back

    [[nodiscard]] double total_ms() const {
        return pre_scan_ms + scan_ms + post_scan_ms + label_ms + sort_ms + pack_ms;
    }
    /// By the name that tables of rates use; nothing for another name.
    [[nodiscard]] std::optional<double> stage_ms(std::string_view stage) const;
};

/// Expected number of buckets that have a key among `tile_keys` keys; nothing for distributions
/// other than uniform, alpha-uniform and binomial. Source: GPU Multisplit, section 6.4.
[[nodiscard]] std::optional<double> buckets_present(PartitionLoad const& load, double tile_keys);

/// Nothing where the profile has no costs of that method, or the method does not take the load.
[[nodiscard]] std::optional<StageTimes> multisplit_cost(RateProfile const& profile,
                                                        PartitionLoad const& load);

/// Methods: "block" and "histogram" (counting alone), "cub-histogram".
[[nodiscard]] std::optional<double> histogram_cost_ms(RateProfile const& profile,
                                                      PartitionLoad const& load);

/// The library's radix sort on `bits` bits: ceil(bits / pass bits) passes of equally many, each
/// bytes / bandwidth and counters * digit, plus its rest of a key.
[[nodiscard]] std::optional<double>
radix_sort_ms(RateProfile const& profile, PartitionLoad const& load, int bits);

/// Sorts by steps of `digit_bits` bits of a block multisplit, the last one of what is left. Source:
/// GPU Multisplit, section 7.1.
[[nodiscard]] std::vector<int> multisplit_sort_steps(int key_bits, int digit_bits);

/// A way to multisplit.
struct MultisplitChoice {
    std::string_view method;
    bool stable;
};

/// All that multisplit_cost() knows.
[[nodiscard]] std::vector<MultisplitChoice> multisplit_choices();

} // namespace keyswap::simulator
