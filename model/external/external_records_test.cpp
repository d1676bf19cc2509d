#include "model/external/external_records.hpp"

#include "model/external/stream_sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace keyswap::model {
namespace {

/// Keys in memory, delivered in blocks.
class KeysInMemory final : public RecordSource {
  public:
    explicit KeysInMemory(std::vector<std::uint64_t> keys) : keys_(std::move(keys)) {}
    [[nodiscard]] Expected<void> sweep(Take const& take) override {
        constexpr std::size_t at_once = 1'000;
        for (std::size_t at = 0; at < keys_.size(); at += at_once) {
            auto const some = std::span(keys_).subspan(at, std::min(at_once, keys_.size() - at));
            take(std::as_bytes(some));
        }
        return {};
    }

  private:
    std::vector<std::uint64_t> keys_;
};

RecordLayout const layout = layout_of_keys(KeyType::u64, Direction::ascending);
constexpr std::size_t divisions_max = 100;

ExternalMemory least_memory() {
    return divide_memory(layout, external_memory_min).value();
}

/// \param keys of a sort with the minimum memory budget
ExternalRecords records_of(std::vector<std::uint64_t> keys) {
    std::uint64_t const count = keys.size();
    KeysInMemory source(std::move(keys));
    return record_external_sort(layout, least_memory(), SampleRule{}, count, source, divisions_max)
        .value();
}

MultisetDigest digest_of_keys(std::vector<std::uint64_t> const& keys) {
    return digest_of_records(layout, std::as_bytes(std::span(keys)));
}

TEST(ExternalRecords, AreOneRangeWhereAllFits) {
    std::vector<std::uint64_t> const keys{5, 3, 5};
    auto const records = records_of(keys);
    EXPECT_TRUE(records.divisions.empty());
    KeyRangeRecord expected{0,
                            std::nullopt,
                            {0, 0},
                            {0, ~std::uint64_t{0}},
                            3,
                            digest_of_keys(keys),
                            0,
                            digest_of_keys(keys)};
    EXPECT_EQ(records.ranges, std::vector{expected});
}

TEST(ExternalRecords, OfNoRecordsHaveNoPlace) {
    auto const records = records_of({});
    ASSERT_EQ(records.ranges.size(), 1U);
    EXPECT_EQ(records.ranges.front(), whole_input(layout, 0));
}

TEST(ExternalRecords, CountWhatEachRangeHolds) {
    auto const memory = least_memory();
    std::vector<std::uint64_t> keys(3 * memory.records_max);
    for (std::uint64_t i = 0; i < keys.size(); ++i) {
        keys[i] = mix_bits(i);
    }
    auto const records = records_of(keys);
    ASSERT_EQ(records.divisions.size(), 1U);
    EXPECT_EQ(records.divisions.front().range, 0U);
    EXPECT_EQ(records.divisions.front().sample.count, records.divisions.front().draws);
    EXPECT_EQ(records.ranges.front(), whole_input(layout, keys.size()));
    std::uint64_t place = 0;
    for (std::size_t id = 1; id < records.ranges.size(); ++id) {
        KeyRangeRecord const& range = records.ranges[id];
        std::vector<std::uint64_t> inside;
        std::ranges::copy_if(keys, std::back_inserter(inside), [&](std::uint64_t key) {
            return images_of(range).contains(key);
        });
        EXPECT_EQ(range.id, id);
        EXPECT_EQ(range.parent, 0U);
        EXPECT_EQ(range.count, inside.size());
        EXPECT_EQ(range.digest, digest_of_keys(inside));
        EXPECT_EQ(range.output, range.digest);
        EXPECT_EQ(range.place, place);
        EXPECT_LE(range.count, memory.records_max);
        place += range.count;
    }
    EXPECT_EQ(place, keys.size());
}

TEST(ExternalRecords, DivideARangeAgainThatTheSampleMisjudged) {
    auto const memory = least_memory();
    std::vector<std::uint64_t> keys(3 * memory.records_max);
    for (std::uint64_t i = 0; i < keys.size(); ++i) {
        keys[i] = i; // all within one of the sampled ranges
    }
    auto const target = range_target(memory, keys.size());
    for (std::uint64_t const position : sample_positions(target, external_sample_seed)) {
        keys[position] = mix_bits(position) | std::uint64_t{1} << 63;
    }
    auto const records = records_of(keys);
    ASSERT_EQ(records.divisions.size(), 2U);
    auto const again = records.divisions[1].range;
    EXPECT_EQ(again, 1U); // the lowest range
    EXPECT_GT(records.ranges[again].count, memory.records_max);
    EXPECT_FALSE(records.ranges[again].place);
    EXPECT_TRUE(records.ranges[again].digest);
    EXPECT_EQ(records.ranges.back().parent, again);
}

TEST(ExternalRecords, LeaveASingleValueUndivided) {
    std::vector<std::uint64_t> const keys(3 * least_memory().records_max, 42);
    auto const records = records_of(keys);
    EXPECT_EQ(records.divisions.size(), 1U);
    auto const own = std::ranges::find_if(
        records.ranges, [](KeyRangeRecord const& range) { return range.lowest == range.highest; });
    ASSERT_NE(own, records.ranges.end());
    EXPECT_EQ(own->count, keys.size());
    EXPECT_EQ(own->place, 0U);
}

TEST(ExternalRecords, KnowASampleByItsOrder) {
    auto const memory = least_memory();
    auto const range = whole_input(layout, 3 * memory.records_max);
    std::vector<uint128> const one{1, 2};
    std::vector<uint128> const other{2, 1};
    EXPECT_NE(division_record(layout, memory, range, SampleRule{}, one, 4).sample,
              division_record(layout, memory, range, SampleRule{}, other, 4).sample);
}

/// Images, equal to their positions, in the sample of a stream of `records` records.
std::vector<uint128>
drawn_from_stream(std::uint64_t records, std::uint64_t room, std::uint64_t draws) {
    std::vector<StreamDraw> kept(room);
    StreamSample sample(kept, 3);
    for (std::uint64_t place = 0; place < records; ++place) {
        sample.add([&] { return uint128{place}; });
    }
    EXPECT_EQ(sample.record_count(), records);
    return sample.images(draws);
}

TEST(StreamSample, DrawsThePlacesWithTheSmallestHashes) {
    std::vector<std::uint64_t> places(10'000);
    std::iota(places.begin(), places.end(), std::uint64_t{0});
    std::ranges::sort(places, {}, [](std::uint64_t place) {
        return mix_bits(3 + place * 0x9e3779b97f4a7c15ULL);
    });
    places.resize(100);
    std::ranges::sort(places);
    std::vector<uint128> const expected(places.begin(), places.end());
    for (std::uint64_t const room : {100U, 101U, 5'000U, 20'000U}) {
        EXPECT_EQ(drawn_from_stream(10'000, room, 100), expected) << room;
    }
    EXPECT_EQ(drawn_from_stream(5, 100, 5), (std::vector<uint128>{0, 1, 2, 3, 4}));
    EXPECT_TRUE(drawn_from_stream(0, 100, 0).empty());
}

TEST(StreamSample, HasRoomForEveryNumberOfRecordsWithinTheMemoryGiven) {
    for (std::uint64_t const bytes : {std::uint64_t{1} << 20,
                                      std::uint64_t{1} << 27,
                                      std::uint64_t{1} << 30,
                                      std::uint64_t{1} << 36}) {
        ExternalMemory const memory = divide_memory(layout, bytes).value();
        std::uint64_t const room = stream_draws_max(memory);
        EXPECT_LE(room * sizeof(StreamDraw) + memory.block_bytes, bytes - memory.reserve_bytes);
        for (std::uint64_t count = 1; count < std::uint64_t{1} << 44; count = count * 9 / 8 + 1) {
            SampleRule const rule{external_sample_seed, true};
            EXPECT_LE(rule.draws(memory, whole_input(layout, count)), room) << count;
        }
    }
}

} // namespace
} // namespace keyswap::model
