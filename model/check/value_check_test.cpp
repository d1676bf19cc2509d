#include "model/check/value_check.hpp"

#include "model/testing/temporary_keys.hpp"

#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace keyswap::model {
namespace {

class Files : public ::testing::Test {
  protected:
    template <class Word>
    [[nodiscard]] std::filesystem::path put(std::string const& name,
                                            std::vector<Word> const& words) const {
        return folder_.put(name, words);
    }

    [[nodiscard]] static OutputCheckOptions options_of(KeyType type) {
        OutputCheckOptions options;
        options.input.key_type = type;
        return options;
    }

    /// Checks values for the output {10, 10, 20, 30} of the input {30, 10, 20, 10}.
    template <class Word>
    [[nodiscard]] ValueCheck check_of(std::vector<Word> const& values) const {
        std::vector const inputs{put<std::uint32_t>("in", {30, 10, 20, 10})};
        std::vector const outputs{put<std::uint32_t>("out", {10, 10, 20, 30})};
        auto const check = check_values(inputs,
                                        outputs,
                                        put("values", values),
                                        sizeof(Word) == 4 ? KeyType::u32 : KeyType::u64,
                                        options_of(KeyType::u32));
        EXPECT_TRUE(check.has_value());
        return *check;
    }

  private:
    testing::KeyFolder folder_;
};

TEST_F(Files, ValuesThatAreIndicesOfTheirKeysHold) {
    EXPECT_TRUE(check_of<std::uint32_t>({1, 3, 2, 0}).stable());
    EXPECT_TRUE(check_of<std::uint64_t>({1, 3, 2, 0}).stable());
}

TEST_F(Files, KeysOf128BitsAreEqualWhereBothHalvesAre) {
    uint128 const low = wide({5, 1});
    uint128 const high = wide({5, 2});
    std::vector const inputs{put<uint128>("in", {high, low, low})};
    std::vector const outputs{put<uint128>("out", {low, low, high})};
    auto const check = [&](std::vector<std::uint32_t> const& values) {
        return check_values(
                   inputs, outputs, put("values", values), KeyType::u32, options_of(KeyType::u128))
            .value();
    };
    EXPECT_TRUE(check({1, 2, 0}).stable());
    EXPECT_EQ(check({2, 1, 0}).first_unstable, 1U);
    EXPECT_EQ(check({0, 2, 1}).first_wrong, 0U);
}

TEST_F(Files, EqualKeysInAnotherOrderArePairedButNotStable) {
    ValueCheck const check = check_of<std::uint32_t>({3, 1, 2, 0});
    EXPECT_TRUE(check.paired());
    EXPECT_FALSE(check.stable());
    EXPECT_EQ(check.first_unstable, 1U);
}

TEST_F(Files, AValueOfAnotherKeyOneTwiceAndOneOutOfRangeAreFound) {
    EXPECT_EQ(check_of<std::uint32_t>({1, 3, 0, 2}).first_wrong, 2U);
    EXPECT_EQ(check_of<std::uint32_t>({1, 1, 2, 0}).first_wrong, 1U);
    EXPECT_EQ(check_of<std::uint32_t>({4, 3, 2, 0}).first_wrong, 0U);
    EXPECT_FALSE(check_of<std::uint32_t>({1, 3, 2}).paired());
}

/// Outputs are read in batches of 65,536 keys.
TEST_F(Files, ValuesOfLongOutputsAreCheckedToTheirEnds) {
    constexpr std::uint32_t batch = 65'536;
    for (std::uint32_t const count : {batch - 1, batch, batch + 1, 2 * batch + 3}) {
        std::vector<std::uint32_t> keys(count);
        std::vector<std::uint32_t> values(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            keys[i] = i / 2;
            values[i] = count - 1 - i;
        }
        std::vector<std::uint32_t> const input(keys.rbegin(), keys.rend());
        std::vector const inputs{put("in", input)};
        std::vector const outputs{put("out", keys)};
        auto const check = [&] {
            return check_values(inputs,
                                outputs,
                                put("values", values),
                                KeyType::u32,
                                options_of(KeyType::u32))
                .value();
        };
        ValueCheck const reversed = check();
        EXPECT_EQ(reversed.value_count, count);
        EXPECT_TRUE(reversed.paired());
        EXPECT_EQ(reversed.first_unstable, 1U);
        values[count - 1] = values[0];
        EXPECT_EQ(check().first_wrong, count - 1);
    }
}

TEST_F(Files, PartsOfSeveralFilesAreOneSequence) {
    std::vector const inputs{put<std::uint32_t>("in0", {30, 10}), put<std::uint32_t>("in1", {20})};
    std::vector const outputs{put<std::uint32_t>("out0", {10}),
                              put<std::uint32_t>("out1", {}),
                              put<std::uint32_t>("out2", {20, 30})};
    auto const right = check_outputs(inputs, outputs, options_of(KeyType::u32));
    ASSERT_TRUE(right.has_value()) << right.error().message();
    EXPECT_TRUE(right->holds());

    std::vector const swapped{outputs[2], outputs[0]};
    auto const wrong = check_outputs(inputs, swapped, options_of(KeyType::u32));
    ASSERT_TRUE(wrong.has_value());
    EXPECT_EQ(wrong->order.first_unsorted, 2U);
    EXPECT_EQ(wrong->order.part, 1U);
    EXPECT_NE(sentences(*wrong).front().find("output file 2 begins"), std::string::npos)
        << sentences(*wrong).front();
}

TEST_F(Files, NanBelongsWhereThePolicySays) {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    float const infinity = std::numeric_limits<float>::infinity();
    std::vector const inputs{put<float>("in", {nan, 1, -infinity, -nan, infinity})};
    auto const holds = [&](std::vector<float> const& output, NanOrder order, Direction direction) {
        OutputCheckOptions options = options_of(KeyType::f32);
        options.nan_order = order;
        options.direction = direction;
        std::vector const outputs{put<float>("out", output)};
        auto const check = check_outputs(inputs, outputs, options);
        EXPECT_TRUE(check.has_value());
        return check->holds();
    };
    std::vector<float> const total{-nan, -infinity, 1, infinity, nan};
    std::vector<float> const last{-infinity, 1, infinity, nan, -nan};
    std::vector<float> const first{nan, -nan, -infinity, 1, infinity};
    std::vector<float> const last_descending{infinity, 1, -infinity, -nan, nan};
    EXPECT_TRUE(holds(total, NanOrder::total, Direction::ascending));
    EXPECT_TRUE(holds(last, NanOrder::last, Direction::ascending));
    EXPECT_TRUE(holds(first, NanOrder::first, Direction::ascending));
    EXPECT_TRUE(holds(last_descending, NanOrder::last, Direction::descending));
    EXPECT_FALSE(holds(last, NanOrder::total, Direction::ascending));
    EXPECT_FALSE(holds(total, NanOrder::last, Direction::ascending));
    EXPECT_FALSE(holds(first, NanOrder::last, Direction::ascending));
    EXPECT_FALSE(holds(last, NanOrder::last, Direction::descending));
}

TEST(Indices, MayHaveASignAndEitherWidth) {
    testing::KeyFolder const folder;
    auto const read = [&](KeyType type, auto const& numbers) {
        std::string const bytes(reinterpret_cast<char const*>(numbers.data()),
                                numbers.size() * sizeof(numbers[0]));
        auto const path = folder.put("a.npy", npy_header_text({type, numbers.size()}) + bytes);
        KeyFileOptions options{std::nullopt, KeyType::u32};
        options.are_indices = true;
        return read_indices(StoredKeys::open(path, options).value(), 0, numbers.size()).value();
    };
    using Indices = std::vector<std::uint64_t>;
    EXPECT_EQ(read(KeyType::u64, std::vector<std::uint64_t>{7, 1}), (Indices{7, 1}));
    EXPECT_EQ(read(KeyType::u32, std::vector<std::uint32_t>{7, 1}), (Indices{7, 1}));
    EXPECT_EQ(read(KeyType::i64, std::vector<std::int64_t>{7, -1}),
              (Indices{7, ~std::uint64_t{0}}));
    EXPECT_EQ(read(KeyType::i32, std::vector<std::int32_t>{7, -1}),
              (Indices{7, ~std::uint64_t{0}}));
}

} // namespace
} // namespace keyswap::model
