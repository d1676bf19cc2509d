#include "simulator/schedules/local_levels.hpp"

#include "kernels/exchange_plan/stretch_tiles.hpp"
#include "simulator/cost/cost_model_skew.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace keyswap::simulator {

namespace {

/// Digit bits of counted children, for segments with many keys and with few.
constexpr int counted_digit_bits = wide_step_bits;
constexpr int coarse_digit_bits = 5;
/// A segment with at least 1 / full_part of all keys has many.
constexpr std::uint64_t full_part = 64;

int children_bits(LocalSegment const& segment) {
    return static_cast<int>(std::bit_width(segment.children.size())) - 1;
}

/// Counts of a segment's children by `bits` bits, or by as many as were counted if fewer.
std::vector<std::uint64_t> folded(LocalSegment const& segment, int bits) {
    KEYSWAP_EXPECTS(!segment.children.empty());
    int const spare = std::max(0, children_bits(segment) - bits);
    std::vector<std::uint64_t> counts(segment.children.size() >> static_cast<unsigned>(spare));
    for (std::size_t child = 0; child < segment.children.size(); ++child) {
        counts[child >> static_cast<unsigned>(spare)] += segment.children[child];
    }
    return counts;
}

/// Divides segments level by level and collects the totals.
class DigitWalk {
  public:
    DigitWalk(RecordBytes record, SegmentPlace place, double order, model::KeySource* keys)
        : leaf_(leaf_keys_of(record)), place_(place),
          digits_(shape_of(record),
                  leaf_,
                  {.method = kernels::LevelMethod::digits,
                   .dense = place == SegmentPlace::dense,
                   .crowded = place == SegmentPlace::crowded}),
          tile_(unstable_tile_keys(record)), order_(order), keys_(keys) {}

    void add(std::span<LocalSegment const> segments) {
        for (LocalSegment const& segment : segments) {
            if (segment.count == 0) {
                continue;
            }
            if (place_ == SegmentPlace::in_order && segment.count <= leaf_) {
                result_.leaf_keys += segment.count;
            } else if (segment.end_bit == 0) {
                result_.one_value_keys += segment.count;
            } else if (digits_.is_counted(segment.count, segment.end_bit)) {
                count_arrived(segment.count);
            } else {
                divide_counted(segment,
                               0,
                               place_ == SegmentPlace::arrived
                                   ? digits_.bits_of_arrived(segment.count, segment.end_bit)
                                   : digits_.bits_of(0, segment.count, segment.end_bit));
            }
        }
    }

    [[nodiscard]] DigitLevels take() {
        for (auto const& [number, level] : levels_) {
            result_.levels.push_back(level);
        }
        take_counted();
        return std::move(result_);
    }

  private:
    static void add_stretches(CountedStretches& all,
                              std::uint64_t keys,
                              std::uint64_t segments,
                              std::uint64_t tile = kernels::stretch_tile_keys_max) {
        all.keys += keys * segments;
        all.stretches += segments;
        all.tiles += (keys + tile - 1) / tile * segments;
    }
    void count(std::uint64_t keys, std::uint64_t segments) { counted_[keys] += segments; }
    /// One block cannot count a stretch whose keys arrived in parts.
    void count_arrived(std::uint64_t keys) {
        if (place_ == SegmentPlace::arrived) {
            add_stretches(result_.arrived, keys, 1);
        } else {
            count(keys, 1);
        }
    }
    /// Divides the counted stretches among blocks.
    void take_counted() {
        std::uint64_t all = 0;
        std::uint64_t above_narrow = 0;
        for (auto const& [keys, stretches] : counted_) {
            all += stretches;
            above_narrow += keys > narrow_stretch_keys ? stretches : 0;
        }
        std::uint64_t const by_block_max =
            kernels::stretch_by_block_max(all, above_narrow, launch_stretches_max);
        std::uint64_t tiled_keys = 0;
        for (auto const& [keys, stretches] : counted_) {
            tiled_keys += keys > by_block_max ? keys * stretches : 0;
        }
        for (auto const& [keys, stretches] : counted_) {
            if (keys > by_block_max) {
                add_stretches(
                    result_.tiled, keys, stretches, kernels::stretch_tile_size(tiled_keys));
            } else {
                add_stretches(
                    keys <= narrow_stretch_keys ? result_.narrow : result_.middle, keys, stretches);
            }
        }
    }

    static void join(DigitLevel& all, DigitLevel const& more) {
        double const part =
            static_cast<double>(more.keys) / static_cast<double>(all.keys + more.keys);
        all.spread.concentration += part * (more.spread.concentration - all.spread.concentration);
        all.spread.digits_present +=
            part * (more.spread.digits_present - all.spread.digits_present);
        all.spread.fullest += part * (more.spread.fullest - all.spread.fullest);
        all.keys += more.keys;
        all.segments += more.segments;
        all.leaf_keys += more.leaf_keys;
        all.one_value_keys += more.one_value_keys;
    }

    /// \param bits of the digit \return the level to which the keys were added
    DigitLevel&
    divide(int number, int bits, std::uint64_t keys, std::uint64_t segments, BlockSpread spread) {
        DigitLevel& level = levels_[number];
        level.bits = std::max(level.bits, bits);
        join(level, {bits, keys, segments, spread, 0, 0});
        return level;
    }

    /// Divides by a digit of `bits` bits whose counts are known.
    void divide_counted(LocalSegment const& segment, int number, int bits) {
        int const end = segment.end_bit - bits;
        std::vector<std::uint64_t> const counts = folded(segment, bits);
        if (number == 0) {
            digits_.check_child_size(std::ranges::max(counts));
        }
        auto const alike = (std::uint64_t{1} << static_cast<unsigned>(bits)) / counts.size();
        DigitLevel& level =
            divide(number, bits, segment.count, 1, block_spread(counts, order_, tile_, alike));
        for (std::size_t child = 0; child < counts.size(); ++child) {
            std::uint64_t const keys = counts[child] / alike;
            if (!take_ended(level, end, keys, alike) &&
                !divide_full(segment, number + 1, end, child, counts)) {
                divide_evenly(number + 1, end, keys, alike);
            }
        }
    }

    /// Divides a child with many of the keys by its own counts, as its keys may crowd in later
    /// digits too. \return false for other children, and if counts cover several children
    bool divide_full(LocalSegment const& segment,
                     int number,
                     int end,
                     std::size_t child,
                     std::vector<std::uint64_t> const& counts) {
        if (keys_ == nullptr || counts[child] < keys_->key_count() / full_part ||
            counts.size() != std::size_t{1} << static_cast<unsigned>(segment.end_bit - end)) {
            return false;
        }
        model::uint128 const width = model::uint128{1} << static_cast<unsigned>(end);
        model::uint128 const lowest = segment.images.lowest + child * width;
        LocalSegment full{{lowest, lowest + width - 1}, counts[child], end, {}};
        count_children({&full, 1}, *keys_);
        divide_counted(full, number, digits_.bits_of(number, full.count, end));
        return true;
    }

    /// Handles children of `keys` keys each that need no further level; false if they do.
    bool take_ended(DigitLevel& parent, int end, std::uint64_t keys, std::uint64_t segments) {
        if (digits_.is_dense() && end == counting_bits) {
            count(keys, segments); // leaves are counted too
        } else if (keys <= leaf_) {
            parent.leaf_keys += keys * segments;
        } else if (end == 0) {
            parent.one_value_keys += keys * segments;
        } else if (digits_.is_counted(keys, end)) {
            count(keys, segments);
        } else {
            return false;
        }
        return true;
    }

    /// Divides segments of `keys` keys each, with even digits, through all remaining levels.
    void divide_evenly(int number, int end, std::uint64_t keys, std::uint64_t segments) {
        int const bits = digits_.bits_of(number, keys, end);
        DigitLevel& own =
            divide(number, bits, keys * segments, segments, even_spread(bits, keys, order_, tile_));
        std::uint64_t const child_keys = keys >> static_cast<unsigned>(bits);
        std::uint64_t const children = segments << static_cast<unsigned>(bits);
        if (!take_ended(own, end - bits, child_keys, children)) {
            divide_evenly(number + 1, end - bits, child_keys, children);
        }
    }

    std::uint32_t leaf_;
    SegmentPlace place_;
    kernels::LevelDigits digits_;
    std::uint64_t tile_;
    double order_;
    model::KeySource* keys_;
    std::map<int, DigitLevel> levels_; ///< by number; a level's segments share launches
    std::map<std::uint64_t, std::uint64_t> counted_; ///< number of stretches, by their keys
    DigitLevels result_;
};

/// Sampled images of a segment, divided between splitters as its keys are.
class SampledDivision {
  public:
    /// \param images ascending
    explicit SampledDivision(std::span<model::uint128 const> images) {
        if (!images.empty()) {
            parts_.emplace_back(images.begin(), images.end());
        }
    }

    /// Divides all parts into 2^bits children each. \param keys that the parts represent
    /// \return the keys of values with buckets of their own, which are left out of the children;
    /// concentration: within a part, averaged over the keys
    [[nodiscard]] HeavyKeys divide(int bits, std::uint64_t keys) {
        HeavyKeys all;
        std::vector<std::vector<model::uint128>> children;
        std::size_t sampled = 0;
        std::size_t heavy = 0;
        for (std::vector<model::uint128> const& part : parts_) {
            sampled += part.size();
        }
        for (std::vector<model::uint128> const& part : parts_) {
            std::vector<model::uint128> rest;
            auto const size = static_cast<double>(part.size());
            double squares = 0.0;
            for (SampledValue const& value : heavy_values(part, bits, rest)) {
                heavy += value.count;
                squares += value.share * value.share;
            }
            all.concentration += size / static_cast<double>(sampled) * squares;
            add_children(rest, bits, children);
        }
        parts_ = std::move(children);
        if (sampled > 0) {
            all.count =
                static_cast<std::uint64_t>(static_cast<double>(keys) * static_cast<double>(heavy) /
                                           static_cast<double>(sampled));
        }
        return all;
    }

  private:
    struct SampledValue {
        std::size_t count = 0;
        double share = 0.0; ///< of the keys of its part
    };

    /// Values with a bucket of their own: those that two adjacent ones of 2^bits - 1 splitters
    /// have, or all. A value with one splitter or less has none, with two always one.
    /// \param rest images of other values
    [[nodiscard]] static std::vector<SampledValue> heavy_values(
        std::span<model::uint128 const> part, int bits, std::vector<model::uint128>& rest) {
        constexpr std::size_t well_sampled = 8;
        auto const size = static_cast<double>(part.size());
        std::vector<std::span<model::uint128 const>> values;
        std::size_t few = 0;   // samples of values that are not well sampled
        std::size_t pairs = 0; // of equal ones among them
        for (auto first = part.begin(); first != part.end();) {
            auto const last = std::upper_bound(first, part.end(), *first);
            values.emplace_back(first, last);
            std::size_t const count = values.back().size();
            if (count < well_sampled) {
                few += count;
                pairs += count * (count - 1);
            }
            first = last;
        }
        // Equal pairs distinguish few values from many: single samples do not.
        double const few_share =
            pairs == 0 ? 0.0 : static_cast<double>(pairs) / static_cast<double>(few - 1) / size;
        std::vector<SampledValue> heavy;
        double chance = 0.0; // of a bucket, added up until the next one is certain
        for (auto const& value : values) {
            double const share =
                value.size() < well_sampled ? few_share : static_cast<double>(value.size()) / size;
            chance += values.size() == 1 && part.size() > 1
                          ? 1.0
                          : std::clamp(std::ldexp(share, bits) - 1.0, 0.0, 1.0);
            if (chance >= 1.0) {
                chance -= 1.0;
                heavy.push_back({value.size(), share});
            } else {
                rest.insert(rest.end(), value.begin(), value.end());
            }
        }
        return heavy;
    }

    /// Adds the children of a part, equal in size except that none divides a value.
    static void add_children(std::vector<model::uint128> const& part,
                             int bits,
                             std::vector<std::vector<model::uint128>>& children) {
        auto const size = static_cast<double>(part.size());
        double end = 0.0;
        for (auto first = part.begin(); first != part.end();) {
            end = std::max(end + std::ldexp(size, -bits),
                           static_cast<double>(first - part.begin()) + 1.0);
            auto const last = std::upper_bound(
                first, part.end(), part[static_cast<std::size_t>(std::min(end, size)) - 1]);
            children.emplace_back(first, last);
            first = last;
        }
    }

    std::vector<std::vector<model::uint128>> parts_;
};

} // namespace

std::vector<int> splitter_levels(std::uint64_t segment_keys, RecordBytes record) {
    std::uint32_t const leaf = leaf_keys_of(record);
    std::vector<int> levels;
    while (segment_keys > leaf) {
        levels.push_back(std::countr_zero(kernels::local_ways(segment_keys, leaf)));
        segment_keys >>= static_cast<unsigned>(levels.back());
    }
    return levels;
}

BlockSpread
even_spread(int bits, std::uint64_t segment_keys, double order, std::uint64_t block_keys) {
    double const digits = std::ldexp(1.0, bits);
    double const smaller = static_cast<double>(segment_keys) / static_cast<double>(block_keys);
    double const inside = std::min(1.0, std::pow(std::max(1.0, smaller), order) / digits);
    return {inside, std::max(1.0, 1.0 / inside), inside};
}

void count_children(std::span<LocalSegment> segments, model::KeySource& keys) {
    constexpr std::uint32_t child_count = 1U << counted_digit_bits;
    std::vector<model::RefinedBucket> refined;
    std::vector<LocalSegment*> counted;
    for (LocalSegment& segment : segments) {
        if (segment.end_bit == 0 || segment.count == 0) {
            continue;
        }
        int const wanted =
            segment.count >= keys.key_count() / full_part ? counted_digit_bits : coarse_digit_bits;
        int const bits = std::min(wanted, segment.end_bit);
        auto const shift = static_cast<unsigned>(segment.end_bit - bits);
        model::uint128 const width = model::uint128{1} << shift;
        // Keys of 128 bits are never counted, so the shift is less than the width.
        model::uint128 const base =
            segment.images.lowest >> static_cast<unsigned>(segment.end_bit)
                                         << static_cast<unsigned>(segment.end_bit);
        model::RefinedBucket bucket{{1, refined.size()}, {}};
        for (model::uint128 child = 0; child < model::uint128{1} << static_cast<unsigned>(bits);
             ++child) {
            model::uint128 const lowest = base + child * width;
            bucket.children.push_back({std::max(lowest, segment.images.lowest),
                                       std::min(lowest + width - 1, segment.images.highest)});
        }
        refined.push_back(std::move(bucket));
        counted.push_back(&segment);
    }
    if (refined.empty()) {
        return;
    }
    auto const histograms =
        keys.histograms(model::Chunks(keys.key_count(), 1), refined, child_count);
    for (std::size_t i = 0; i < counted.size(); ++i) {
        auto const counts = histograms[i].of(GpuId{0}).first(refined[i].children.size());
        counted[i]->children.assign(counts.begin(), counts.end());
    }
}

DigitLevels digit_levels(std::span<LocalSegment const> segments,
                         SegmentPlace place,
                         RecordBytes record,
                         double order,
                         model::KeySource* keys) {
    DigitWalk walk(record, place, order, keys);
    walk.add(segments);
    return walk.take();
}

std::vector<SplitterLevel> splitter_levels(std::span<LocalSegment const> segments,
                                           SegmentPlace place,
                                           RecordBytes record,
                                           KeySample const& sample) {
    std::vector<SplitterLevel> all;
    for (LocalSegment const& segment : segments) {
        std::vector<int> levels = splitter_levels(segment.count, record);
        if (levels.empty() && place == SegmentPlace::arrived) {
            levels.push_back(1); // only brings parts together
        }
        SampledDivision division(images_of(sample, segment.images));
        std::uint64_t keys = segment.count;
        std::uint64_t parts = 1;
        all.resize(std::max({all.size(), levels.size(), std::size_t{1}}));
        for (std::size_t i = 0; i < levels.size(); ++i) {
            SplitterLevel& level = all[i];
            HeavyKeys heavy = division.divide(levels[i], keys);
            level.bits = std::max(level.bits, levels[i]);
            level.keys += keys;
            level.segments += parts;
            if (level.keys > 0) {
                level.heavy.concentration +=
                    (heavy.concentration - level.heavy.concentration) *
                    (static_cast<double>(keys) / static_cast<double>(level.keys));
            }
            level.heavy.count += heavy.count;
            keys -= heavy.count;
            parts <<= static_cast<unsigned>(levels[i]);
        }
        all[std::max<std::size_t>(levels.size(), 1) - 1].leaf_keys += keys;
    }
    return all;
}

} // namespace keyswap::simulator
