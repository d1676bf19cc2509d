#include "simulator/cost/partition_cost.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace keyswap::simulator {

namespace {

constexpr double warp_lanes = 32.0;
constexpr double block_residents_max = 8.0; ///< 2,048 threads per multiprocessor, 256 per block

/// Converts picoseconds per key to milliseconds of all keys.
double milliseconds(double key_ps, std::uint64_t key_count) {
    return key_ps * static_cast<double>(key_count) * 1e-9;
}

double levels_of(std::uint32_t buckets) {
    return std::max(1, static_cast<int>(std::bit_width(buckets - 1)));
}

/// Memory access and computation that overlap.
double beside(double memory_ps, double compute_ps) {
    return std::hypot(memory_ps, compute_ps);
}

/// Likewise between barriers of a block: while it waits for memory, only other blocks of its
/// multiprocessor compute. \param residents blocks of it in all, 1 to block_residents_max
double between_barriers(double memory_ps, double compute_ps, double residents) {
    double const exponent = 1.0 + (residents - 1.0) / (block_residents_max - 1.0);
    return std::pow(std::pow(memory_ps, exponent) + std::pow(compute_ps, exponent), 1.0 / exponent);
}

/// Blocks of method `block` per multiprocessor. Shared memory holds a block's tile and, for each
/// bucket, a counter per warp, their sum and the output offset.
double resident_blocks(PartitionCosts const& costs, PartitionLoad const& load) {
    constexpr double counters_bytes = (8.0 + 2.0) * 4.0; ///< of a bucket, 8 warps
    constexpr double KiB = 1024.0;
    double const held =
        counters_bytes * load.buckets + costs.block_tile_keys * (load.key_bytes + load.value_bytes);
    return std::clamp(std::floor(costs.shared_KiB * KiB / held), 1.0, block_residents_max);
}

/// Terms that the stages of one load have in common.
struct Terms {
    Terms(RateProfile const& profile, PartitionLoad const& load)
        : byte_ps(1e3 / profile.bandwidth_GBps), levels(levels_of(load.buckets)),
          buckets(load.buckets), segments(std::ceil(buckets / warp_lanes)),
          element_bytes(load.key_bytes + load.value_bytes), words(element_bytes / 4.0) {}

    double byte_ps;
    double levels;
    double buckets;
    double segments; ///< groups of 32 buckets, which a warp counts together
    double element_bytes;
    double words;
};

/// Picoseconds to find the bucket of a key once.
double rule_ps(PartitionCosts const& costs, PartitionLoad const& load, bool between_barriers) {
    if (load.rule == "delta") {
        return between_barriers ? costs.divide_block_ps : costs.divide_ps;
    }
    return load.rule == "splitters" ? costs.search_ps * levels_of(load.buckets) : 0.0;
}

/// Cost of a further segment in counting, relative to scattering: no offsets are needed.
constexpr double counting_segment = 0.25;

/// Multisplit in three stages: count, scan, scatter.
std::optional<StageTimes> three_stages(RateProfile const& profile, PartitionLoad const& load) {
    PartitionCosts const& costs = *profile.partition;
    Terms const terms(profile, load);
    bool const block = load.method == "block";
    bool const direct = load.method == "direct";
    constexpr std::uint32_t lanes_buckets_max = 32;
    constexpr std::uint32_t block_buckets_max = 256;
    if (load.buckets > (block ? block_buckets_max : lanes_buckets_max)) {
        return std::nullopt;
    }
    double const tile = block    ? costs.block_tile_keys
                        : direct ? costs.direct_tile_keys
                                 : costs.warp_tile_keys;
    // Unordered tiles are stored by windows of one warp.
    double const stored = direct ? warp_lanes : tile;
    auto const present = buckets_present(load, stored);
    if (!present) {
        return std::nullopt;
    }
    double const rule = rule_ps(costs, load, block);
    // A warp's store to a column of counters touches as many places as there are buckets, up to 32;
    // the memory coalesces fewer of them the more there are.
    double const apart = std::min(terms.buckets, warp_lanes) / warp_lanes;
    double const table = (costs.tile_ps + apart * terms.buckets * costs.entry_ps) / tile;
    double const votes = costs.vote_ps * terms.levels;
    double const segments = block ? costs.segment_ps * (terms.segments - 1.0) : 0.0;
    double const counting =
        beside(load.key_bytes * terms.byte_ps + table, rule + votes + counting_segment * segments);
    double const scanning = 8.0 * terms.buckets / tile * terms.byte_ps;
    double const runs = terms.words * *present / stored * costs.run_ps;
    // After keys are ordered within their tile, their buckets are computed again.
    double const moving = 2.0 * terms.element_bytes * terms.byte_ps + runs + table;
    double const placing = (direct ? 1.0 : 2.0) * rule + (block ? 2.0 : 1.0) * votes +
                           (block ? costs.block_ps : 0.0) + segments;
    double const scattering = block
                                  ? between_barriers(moving, placing, resident_blocks(costs, load))
                                  : beside(moving, placing);
    StageTimes times;
    times.pre_scan_ms = milliseconds(counting, load.key_count);
    times.scan_ms = profile.scan_launch_us * 1e-3 + milliseconds(scanning, load.key_count);
    times.post_scan_ms = milliseconds(scattering, load.key_count);
    return times;
}

/// Computes labels, sorts them with their keys; values are packed with keys for the sort.
std::optional<StageTimes> reduced_bit(RateProfile const& profile, PartitionLoad const& load) {
    if (!profile.radix) {
        return std::nullopt;
    }
    Terms const terms(profile, load);
    PartitionLoad sorted = load;
    sorted.value_bytes = load.key_bytes + load.value_bytes;
    sorted.key_bytes = 4; // label width
    auto const sort_ms = radix_sort_ms(profile, sorted, static_cast<int>(terms.levels));
    StageTimes times;
    times.label_ms = milliseconds(profile.partition->label_ps, load.key_count);
    times.sort_ms = *sort_ms;
    if (load.value_bytes > 0) {
        constexpr double pack_and_unpack = 4.0; // each reads and writes key and value
        times.pack_ms =
            milliseconds(pack_and_unpack * terms.element_bytes * terms.byte_ps, load.key_count);
    }
    return times;
}

/// Splits by a scan each: one for two buckets, else one per bit of the label.
std::optional<StageTimes> scan_split(RateProfile const& profile, PartitionLoad const& load) {
    if (load.method == "scan-split" && load.buckets > 2) {
        return std::nullopt;
    }
    Terms const terms(profile, load);
    double const values = 2.0 * load.value_bytes * terms.byte_ps;
    StageTimes times;
    times.scan_ms =
        milliseconds(terms.levels * (profile.partition->split_ps + values), load.key_count);
    return times;
}

double fused_rule_ps(FusedCosts const& costs, PartitionLoad const& load) {
    if (load.rule == "splitters") {
        return costs.walk_ps + costs.level_ps * levels_of(load.buckets);
    }
    return load.rule == "delta" ? costs.quotient_ps : 0.0;
}

/// A histogram, then a single pass: rank, look back, scatter.
std::optional<StageTimes> fused(RateProfile const& profile, PartitionLoad const& load) {
    FusedCosts const& costs = *profile.fused;
    Terms const terms(profile, load);
    constexpr std::uint32_t buckets_max = 256;
    constexpr double few_rounds = 5.0;
    constexpr double many_rounds = 8.0;
    bool const atomic = load.method == "atomic";
    if (load.buckets > (load.method == "split1" ? 2
                        : atomic                ? 2 * buckets_max
                                                : buckets_max) ||
        (atomic && load.value_bytes > 0)) {
        return std::nullopt;
    }
    double const rounds = terms.segments > 1.0 ? many_rounds : few_rounds;
    double const moving = 2.0 * terms.element_bytes * terms.byte_ps;
    double const wide = costs.word_ps * (terms.words - 1.0);
    double const ranking = load.method == "split1" ? costs.split_ps
                           : atomic                ? costs.atomic_ps
                                                   : costs.rank_ps + costs.vote_ps * rounds;
    StageTimes times;
    times.pre_scan_ms = milliseconds(load.key_bytes * terms.byte_ps, load.key_count);
    times.post_scan_ms =
        milliseconds(beside(moving, ranking + wide) + fused_rule_ps(costs, load), load.key_count);
    return times;
}

/// For digits only: other rules have not been measured.
std::optional<StageTimes> bit_split(RateProfile const& profile, PartitionLoad const& load) {
    BitSplitCosts const& costs = *profile.bit_split;
    Terms const terms(profile, load);
    constexpr std::uint32_t buckets_max = 4096;
    if (load.buckets > buckets_max || load.rule != "digit") {
        return std::nullopt;
    }
    double const columns = terms.buckets / costs.tile_keys;
    double const splitting = terms.words * (costs.place_ps + costs.bit_ps * terms.levels);
    StageTimes times;
    times.pre_scan_ms = milliseconds(beside(load.key_bytes * terms.byte_ps, costs.count_ps) +
                                         columns * costs.entry_ps,
                                     load.key_count);
    times.scan_ms =
        costs.scan_launch_us * 1e-3 + milliseconds(columns * costs.scan_ps, load.key_count);
    times.post_scan_ms =
        milliseconds(beside(2.0 * terms.element_bytes * terms.byte_ps, splitting), load.key_count);
    return times;
}

} // namespace

std::optional<double> StageTimes::stage_ms(std::string_view stage) const {
    for (auto const& [name, time_ms] : {std::pair<std::string_view, double>{"all", total_ms()},
                                        {"pre-scan", pre_scan_ms},
                                        {"scan", scan_ms},
                                        {"post-scan", post_scan_ms},
                                        {"label", label_ms},
                                        {"sort", sort_ms},
                                        {"pack", pack_ms}}) {
        if (name == stage) {
            return time_ms;
        }
    }
    return std::nullopt;
}

std::optional<double> buckets_present(PartitionLoad const& load, double tile_keys) {
    double const buckets = load.buckets;
    auto const present = [tile_keys](double share) {
        return 1.0 - std::pow(1.0 - share, tile_keys);
    };
    if (load.distribution == "uniform") {
        return buckets * present(1.0 / buckets);
    }
    if (load.distribution == "alpha-uniform") { // other keys share one bucket
        return (buckets - 1.0) * present(load.parameter / buckets) + 1.0;
    }
    if (load.distribution == "binomial") {
        double sum = 0.0;
        for (std::uint32_t bucket = 0; bucket < load.buckets; ++bucket) {
            double const log_share = std::lgamma(buckets) - std::lgamma(bucket + 1.0) -
                                     std::lgamma(buckets - bucket) -
                                     (buckets - 1.0) * std::log(2.0);
            sum += present(std::exp(log_share));
        }
        return sum;
    }
    return std::nullopt;
}

std::optional<StageTimes> multisplit_cost(RateProfile const& profile, PartitionLoad const& load) {
    KEYSWAP_EXPECTS(load.buckets >= 1);
    bool const is_fused =
        load.method == "fused" || load.method == "split1" || load.method == "atomic";
    if (is_fused) {
        return profile.fused ? fused(profile, load) : std::nullopt;
    }
    if (load.method == "bit-split") {
        return profile.bit_split ? bit_split(profile, load) : std::nullopt;
    }
    if (!profile.partition) {
        return std::nullopt;
    }
    if (load.method == "direct" || load.method == "warp" || load.method == "block") {
        return three_stages(profile, load);
    }
    if (load.method == "reduced-bit") {
        return reduced_bit(profile, load);
    }
    if (load.method == "scan-split" || load.method == "recursive-split") {
        return scan_split(profile, load);
    }
    return std::nullopt;
}

std::optional<double> histogram_cost_ms(RateProfile const& profile, PartitionLoad const& load) {
    KEYSWAP_EXPECTS(load.buckets >= 1);
    Terms const terms(profile, load);
    double const reading = load.key_bytes * terms.byte_ps;
    if (load.method == "histogram" && profile.fused) {
        double const walking =
            load.rule == "splitters" ? profile.fused->level_ps * terms.levels : 0.0;
        return milliseconds(beside(reading, walking), load.key_count);
    }
    if (load.method == "block" && profile.partition) {
        PartitionCosts const& costs = *profile.partition;
        double const counting = rule_ps(costs, load, true) + costs.vote_ps * terms.levels +
                                counting_segment * costs.segment_ps * (terms.segments - 1.0);
        return milliseconds(beside(reading + costs.tile_ps / costs.block_tile_keys, counting),
                            load.key_count);
    }
    if (load.method == "cub-histogram" && profile.library_histogram) {
        LibraryHistogramCosts const& costs = *profile.library_histogram;
        double const searching = load.rule == "splitters" ? costs.search_ps * terms.levels : 0.0;
        constexpr double shared_bins_max = 256.0;
        if (terms.buckets > shared_bins_max) {
            // Counters in global memory: scattered accesses that overlap with the search.
            return profile.partition
                       ? std::optional(milliseconds(
                             beside(reading, std::max(profile.partition->run_ps, searching)),
                             load.key_count))
                       : std::nullopt;
        }
        double const meeting = 1.0 + (warp_lanes - 1.0) / terms.buckets;
        return milliseconds(
            beside(reading, costs.count_ps + costs.conflict_ps * meeting + searching),
            load.key_count);
    }
    return std::nullopt;
}

std::optional<double>
radix_sort_ms(RateProfile const& profile, PartitionLoad const& load, int bits) {
    KEYSWAP_EXPECTS(bits >= 1);
    if (!profile.radix) {
        return std::nullopt;
    }
    RadixCosts const& costs = *profile.radix;
    double const passes = std::ceil(bits / costs.pass_bits);
    double const counters = std::exp2(std::ceil(bits / passes));
    // A pass reads keys twice: to count and to scatter.
    double const bytes = 3.0 * load.key_bytes + 2.0 * load.value_bytes;
    double const counting =
        counters * (costs.digit_ps + costs.value_digit_ps * load.value_bytes / 4.0);
    return milliseconds(passes *
                            (costs.key_ps + beside(bytes * 1e3 / costs.bandwidth_GBps, counting)),
                        load.key_count);
}

std::vector<int> multisplit_sort_steps(int key_bits, int digit_bits) {
    KEYSWAP_EXPECTS(key_bits >= 1 && digit_bits >= 1);
    std::vector<int> steps(static_cast<std::size_t>(key_bits / digit_bits), digit_bits);
    if (key_bits % digit_bits != 0) {
        steps.push_back(key_bits % digit_bits);
    }
    return steps;
}

std::vector<MultisplitChoice> multisplit_choices() {
    return {{"direct", true},
            {"warp", true},
            {"block", true},
            {"reduced-bit", true},
            {"scan-split", true},
            {"recursive-split", true},
            {"bit-split", true},
            {"fused", true},
            {"split1", true},
            {"atomic", false}};
}

} // namespace keyswap::simulator
