#include "tools/external/arrays/array_ranges.hpp"

#include "model/external/external_records.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace keyswap::tools {
namespace {

using Pair = std::pair<std::uint64_t, std::uint64_t>;

/// Pairs with their indices as values, and scratch arrays.
struct Pairs {
    std::vector<std::uint64_t> keys;
    std::vector<std::uint64_t> values;
    std::vector<std::uint64_t> key_room;
    std::vector<std::uint64_t> value_room;

    explicit Pairs(std::vector<std::uint64_t> some)
        : keys(std::move(some)), values(keys.size()), key_room(keys.size()),
          value_room(keys.size()) {
        std::iota(values.begin(), values.end(), 0);
    }
    RangeArrays arrays() {
        auto const bytes = [](std::vector<std::uint64_t>& words) {
            return std::as_writable_bytes(std::span(words));
        };
        return {bytes(keys), bytes(values), bytes(key_room), bytes(value_room)};
    }
    [[nodiscard]] std::vector<Pair> list() const {
        std::vector<Pair> pairs;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            pairs.emplace_back(keys[i], values[i]);
        }
        return pairs;
    }
};

SortShape pair_shape() {
    SortShape shape;
    shape.key_type = KeyType::u64;
    shape.value_type = ValueType::bits64;
    shape.stability = Stability::stable;
    return shape;
}

model::ExternalMemory memory_of(model::RecordLayout const& layout,
                                std::uint64_t records_max,
                                std::optional<std::uint64_t> ranges_max = std::nullopt) {
    auto memory = model::divide_memory(layout, std::uint64_t{64} << 20, records_max).value();
    memory.ranges_max = ranges_max.value_or(memory.ranges_max);
    return memory;
}

/// Sorts in ranges of at most records_max, partitioned by three threads, and compares.
ArrayRanges expect_sorted(std::vector<std::uint64_t> keys,
                          std::uint64_t records_max,
                          std::optional<std::uint64_t> ranges_max = std::nullopt) {
    Pairs pairs(std::move(keys));
    auto expected = pairs.list();
    std::ranges::stable_sort(expected, {}, &Pair::first);
    auto const engine = make_cpu_range_engine(1);
    SortShape const shape = pair_shape();
    auto const layout = layout_of_arrays(shape);
    auto const memory = memory_of(layout, records_max, ranges_max);
    EXPECT_TRUE(engine->prepare(shape, records_max));
    auto const arrays = pairs.arrays();
    ArrayRanges ranges(layout, memory, 3, arrays);
    EXPECT_TRUE(ranges.partition(*engine));
    EXPECT_TRUE(sort_ranges(ranges, *engine, 2));
    EXPECT_TRUE(pairs.list() == expected);
    std::uint64_t place = 0;
    for (KeyRangeRecord const& range : ranges.ranges()) {
        if (range.place) {
            place += range.count;
            EXPECT_TRUE(range.count <= records_max || range.lowest == range.highest);
        }
    }
    EXPECT_EQ(place, pairs.keys.size());
    return ranges;
}

std::vector<std::uint64_t> random_keys(std::size_t count, std::uint64_t different) {
    std::mt19937_64 random(5);
    std::vector<std::uint64_t> keys(count);
    std::ranges::generate(keys, [&] { return random() % different; });
    return keys;
}

TEST(ArrayRanges, SortsWhatFitsAtOnce) {
    EXPECT_TRUE(expect_sorted({}, 2'000).divisions().empty());
    EXPECT_TRUE(expect_sorted({3}, 2'000).divisions().empty());
    EXPECT_TRUE(expect_sorted(random_keys(2'000, ~0ULL), 2'000).divisions().empty());
}

TEST(ArrayRanges, SortsByRanges) {
    auto const result = expect_sorted(random_keys(50'000, ~0ULL), 2'000);
    EXPECT_EQ(result.divisions().size(), 1U);
    EXPECT_GT(result.ranges().size(), 25U);
    expect_sorted(random_keys(2'001, ~0ULL), 2'000);
    auto ascending = random_keys(50'000, ~0ULL);
    std::ranges::sort(ascending);
    expect_sorted(ascending, 2'000);
}

TEST(ArrayRanges, SortsFewDifferentKeys) {
    for (std::uint64_t const different : {1ULL, 2ULL, 7ULL, 40ULL, 3'000ULL}) {
        expect_sorted(random_keys(50'000, different), 2'000);
    }
}

TEST(ArrayRanges, DividesRangesThatTheSampleMisjudged) {
    // With at most eight ranges, each range of the first division is several times too large.
    auto const result = expect_sorted(random_keys(50'000, ~0ULL), 2'000, 8);
    EXPECT_GT(result.divisions().size(), 1U);
}

TEST(ArrayRanges, SortsSkewedKeys) {
    auto keys = random_keys(60'000, ~0ULL);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = i % 3 == 0 ? 17 : keys[i] >> (keys[i] % 64);
    }
    expect_sorted(keys, 2'000);
}

/// Record source for pairs of a key and its index.
class PairSource final : public model::RecordSource {
  public:
    explicit PairSource(std::vector<std::uint64_t> const& keys) : keys_(keys) {}
    Expected<void> sweep(Take const& take) override {
        for (std::uint64_t i = 0; i < keys_.size(); ++i) {
            std::uint64_t const record[2] = {keys_[i], i};
            take(std::as_bytes(std::span(record)));
        }
        return {};
    }

  private:
    std::vector<std::uint64_t> const& keys_;
};

TEST(ArrayRanges, DecidesWhatTheModelDoes) {
    auto keys = random_keys(30'000, ~0ULL);
    std::fill(keys.begin() + 100, keys.begin() + 9'000, 5U);
    auto const result = expect_sorted(keys, 2'000);
    PairSource source(keys);
    auto const layout = layout_of_arrays(pair_shape());
    auto const planned =
        model::record_external_sort(layout, memory_of(layout, 2'000), {}, keys.size(), source, 100)
            .value();
    EXPECT_EQ(planned.divisions, result.divisions());
    ASSERT_EQ(planned.ranges.size(), result.ranges().size());
    for (std::size_t i = 0; i < planned.ranges.size(); ++i) {
        KeyRangeRecord without_digests = planned.ranges[i];
        without_digests.digest = without_digests.output = std::nullopt;
        EXPECT_EQ(without_digests, result.ranges()[i]);
    }
}

TEST(ArrayRanges, SortsEveryTypeOfKey) {
    for (KeyType const type : {KeyType::u32, KeyType::f64, KeyType::i64, KeyType::u128}) {
        for (Direction const direction : {Direction::ascending, Direction::descending}) {
            SortShape shape;
            shape.key_type = type;
            shape.direction = direction;
            auto const layout = layout_of_arrays(shape);
            std::uint64_t const count = 40'000;
            std::uint64_t const size = count * layout.record_bytes;
            auto words = random_keys(size / sizeof(std::uint64_t), ~0ULL);
            std::vector<std::uint64_t> room(words.size());
            auto const engine = make_cpu_range_engine(1);
            ASSERT_TRUE(engine->prepare(shape, 3'000));
            RangeArrays const arrays{std::as_writable_bytes(std::span(words)),
                                     {},
                                     std::as_writable_bytes(std::span(room)),
                                     {}};
            auto const before = model::digest_of_records(layout, arrays.keys);
            ArrayRanges ranges(layout, memory_of(layout, 3'000), 2, arrays);
            ASSERT_TRUE(ranges.partition(*engine));
            ASSERT_TRUE(sort_ranges(ranges, *engine, 2));
            EXPECT_EQ(model::digest_of_records(layout, arrays.keys), before);
            model::with_image_reader(layout, [&](auto const& read) {
                for (std::uint64_t i = 1; i < count; ++i) {
                    std::byte const* const key = arrays.keys.data() + i * layout.record_bytes;
                    ASSERT_FALSE(read(key) < read(key - layout.record_bytes));
                }
            });
        }
    }
}

} // namespace
} // namespace keyswap::tools
