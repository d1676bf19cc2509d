#include "tools/external/external_sort.hpp"

#include "tools/external/external_case_test.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace keyswap::tools {

TEST(ExternalSort, SortsKeysOfEveryDistribution) {
    for (char const* const distribution :
         {"uniform", "zero", "sorted", "reverse-sorted", "nearly-sorted", "zipf"}) {
        Case const test(u64_keys, keys_of(distribution, 150'000), MiB);
        auto const result = test.run();
        ASSERT_TRUE(result) << distribution << ": " << result.error().message();
        EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted) << distribution;
        EXPECT_LE(result->buffer_bytes, test.job.memory_bytes) << distribution;
        EXPECT_FALSE(fs::exists(test.job.scratch)) << distribution;
    }
}

TEST(ExternalSort, SortsKeysOfEveryTypeBothWays) {
    auto const bytes = keys_of("uniform", 70'000);
    for (KeyType const type : {KeyType::u32,
                               KeyType::i32,
                               KeyType::f32,
                               KeyType::u64,
                               KeyType::i64,
                               KeyType::f64,
                               KeyType::u128,
                               KeyType::i128}) {
        for (Direction const direction : {Direction::ascending, Direction::descending}) {
            Case const test(model::layout_of_keys(type, direction), bytes, MiB);
            auto const result = test.run();
            ASSERT_TRUE(result) << to_string(type) << ": " << result.error().message();
            EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted) << to_string(type);
        }
    }
}

TEST(ExternalSort, SortsNumbersWithWhateverFollowsOrPrecedesThem) {
    for (auto const& [bytes, key, type] :
         std::vector<std::tuple<std::uint64_t, std::string, KeyType>>{
             {16, "0:8", KeyType::u64},   // pairs
             {12, "0:8", KeyType::f64},   // with half-word values
             {8, "0:4", KeyType::i32},    // half-word keys and values
             {12, "0:4", KeyType::f32},   // half-word keys, word values
             {24, "0:16", KeyType::i128}, // two-word keys, word values
             {16, "8:8", KeyType::u64},   // the key is last
             {16, "0:4", KeyType::u32},   // packed with its index
             {31, "5:8", KeyType::f64}}) {
        for (Direction const direction : {Direction::ascending, Direction::descending}) {
            auto const layout = model::parse_record_layout(bytes, key, direction, type).value();
            auto records = records_of(layout, 60'000);
            std::copy_n(records.begin(), 4 * bytes, records.end() - 4 * static_cast<int>(bytes));
            Case const test(layout, records, MiB);
            ASSERT_TRUE(test.run()) << to_string(layout);
            EXPECT_TRUE(testing::text_of(test.job.outputs[0]) == test.sorted) << to_string(layout);
        }
    }
}

TEST(ExternalSort, SortsSeveralInputsAsOne) {
    Case test(u64_keys, keys_of("uniform", 300'000), MiB);
    std::string const all = testing::text_of(test.job.inputs.front().identity.path);
    test.job.inputs.clear();
    std::size_t first = 0;
    for (std::size_t const count : {100'000U, 0U, 1U, 199'999U}) { // key counts
        fs::path const path =
            test.folder.path() / ("input" + std::to_string(test.job.inputs.size()));
        std::size_t const offset = 8 * test.job.inputs.size(); // header bytes
        testing::put_text(path, std::string(offset, 'h') + all.substr(8 * first, 8 * count));
        test.job.inputs.push_back({identity_of(path).value(), offset, count, {}});
        first += count;
    }
    stop_after(test, 3'000'000);
    auto const result = test.run();
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_TRUE(result->continued);
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
}

TEST(ExternalSort, ReadsRecordsThatBeginAnywhere) {
    auto const layout = model::parse_record_layout(100, "4:10", Direction::ascending).value();
    Case test(layout, records_of(layout, 120'000), 8 * MiB);
    ExternalInput& input = test.job.inputs.front();
    std::string const all = testing::text_of(input.identity.path);
    testing::put_text(input.identity.path, std::string(77, 'h') + all);
    input.identity = identity_of(input.identity.path).value();
    input.offset = 77;
    auto const result = test.run();
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_GT(result->range_count, 1U);
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
}

TEST(ExternalSort, ReadsAndWritesTwice) {
    Case const test(u64_keys, keys_of("uniform", 1'000'000), MiB);
    auto const result = test.run();
    ASSERT_TRUE(result);
    EXPECT_GT(result->range_count, 20U);
    EXPECT_EQ(result->oversized_records, 0U);
    EXPECT_EQ(result->written_bytes, 16'000'000U);
    EXPECT_LT(result->read_bytes, 16'500'000U); // plus the sample
}

TEST(ExternalSort, ReadsAndWritesOnceWhatFits) {
    Case const test(u64_keys, keys_of("uniform", 10'000), MiB);
    auto const result = test.run();
    ASSERT_TRUE(result);
    EXPECT_EQ(result->range_count, 1U);
    EXPECT_EQ(result->written_bytes, 80'000U);
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
}

TEST(ExternalSort, DividesAgainWhatDoesNotFit) {
    Case const test(u64_keys, keys_of("uniform", 1'300'000), MiB);
    auto const result = test.run();
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_GT(result->oversized_records, 0U);
    expect_planned(test, *result);
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
}

TEST(ExternalSort, KeepsEqualRecordsInOrder) {
    for (char const* const key : {"0:1", "3:2", "0:10", "84:16"}) {
        for (Direction const direction : {Direction::ascending, Direction::descending}) {
            auto const layout = model::parse_record_layout(100, key, direction).value();
            Case const test(layout, records_of(layout, 30'000), MiB);
            auto const result = test.run();
            ASSERT_TRUE(result) << key << ": " << result.error().message();
            expect_planned(test, *result);
            EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted) << key;
        }
    }
}

/// Covers rounds of several parts, and runs written in whole pages.
TEST(ExternalSort, KeepsEqualRecordsInOrderOnAnyNumberOfThreads) {
    auto const layout = model::parse_record_layout(100, "50:1", Direction::ascending).value();
    Case test(layout, records_of(layout, 100'000), 16 * MiB);
    for (unsigned const threads : {1U, 2U, 7U}) {
        test.job.threads = threads;
        auto const result = test.run();
        ASSERT_TRUE(result) << result.error().message();
        EXPECT_GT(result->range_count, 3U);
        EXPECT_TRUE(testing::text_of(test.job.outputs[0]) == test.sorted) << threads;
        fs::remove(test.job.outputs[0]);
    }
}

TEST(ExternalSort, SortsNothing) {
    Case const test(u64_keys, {}, MiB);
    auto const result = test.run();
    ASSERT_TRUE(result);
    expect_planned(test, *result);
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), "");
}

TEST(ExternalSort, SortsStreams) {
    auto const layout = model::parse_record_layout(100, "7:9", Direction::descending).value();
    auto const records = records_of(layout, 30'000);
    auto const keys = keys_of("zipf", 300'000);
    for (std::uint64_t const memory_bytes : {MiB, 64 * MiB}) { // by ranges, and as a single range
        Case test(u64_keys, keys, memory_bytes);
        read_as_stream(test, keys);
        auto const result = test.run();
        ASSERT_TRUE(result) << result.error().message();
        EXPECT_EQ(result->record_count, 300'000U);
        EXPECT_EQ(result->written_bytes, (memory_bytes == MiB ? 2U : 1U) * keys.size());
        EXPECT_LE(result->buffer_bytes, memory_bytes);
        EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
        Case wide(layout, records, memory_bytes);
        read_as_stream(wide, records);
        ASSERT_TRUE(wide.run());
        EXPECT_EQ(testing::text_of(wide.job.outputs[0]), wide.sorted);
    }
}

TEST(ExternalSort, DrawsFromStreamsAsPlanned) {
    auto const keys = keys_of("uniform", 300'000);
    Case test(u64_keys, keys, MiB);
    read_as_stream(test, keys);
    auto const result = test.run();
    ASSERT_TRUE(result) << result.error().message();
    test.job.inputs.front().record_count = 300'000;
    expect_planned(test, *result);
}

} // namespace keyswap::tools
