#include "model/check/output_check.hpp"

#include "model/check/image_scan.hpp"
#include "model/check/shown_key.hpp"
#include "model/keys/key_order.hpp"
#include "model/testing/temporary_keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <functional>
#include <random>

namespace keyswap::model {
namespace {

using testing::KeyFolder;

constexpr std::size_t key_count = 200'001; ///< three blocks and a remainder

/// Keys with about four duplicates each, using all bits.
std::vector<std::uint32_t> some_keys(std::size_t count = key_count) {
    std::mt19937 random(7);
    std::vector<std::uint32_t> keys(count);
    for (auto& key : keys) {
        key = static_cast<std::uint32_t>(random() % (count / 4)) * 2'654'435'761U;
    }
    return keys;
}

template <class T>
OutputCheck checked(std::vector<T> const& input,
                    std::vector<T> const& output,
                    OutputCheckOptions options = {}) {
    KeyFolder const folder;
    options.input.key_type = key_type_of<T>;
    auto check = check_output(folder.put("in", input), folder.put("out", output), options);
    EXPECT_TRUE(check) << check.error().message();
    return *check;
}

/// The check of some keys against their sorted order after applying a fault.
OutputCheck after(std::function<void(std::vector<std::uint32_t>&)> const& fault) {
    auto const input = some_keys();
    auto output = input;
    std::ranges::sort(output);
    fault(output);
    OutputCheckOptions options;
    options.gpu_count = 4;
    return checked(input, output, options);
}

std::vector<std::uint32_t> sorted_keys() {
    auto keys = some_keys();
    std::ranges::sort(keys);
    return keys;
}

TEST(OutputCheck, AcceptsASortedPermutationOfEverySizeAroundABlock) {
    for (std::size_t const size : {0, 1, 2, 65'535, 65'536, 65'537, 131'073}) {
        auto const input = some_keys(std::max<std::size_t>(size, 4));
        std::vector<std::uint32_t> keys(input.begin(), input.begin() + std::ptrdiff_t(size));
        auto output = keys;
        std::ranges::sort(output);
        auto const check = checked(keys, output);
        EXPECT_TRUE(check.holds()) << size;
        EXPECT_EQ(sentences(check).size(), 1U);
        EXPECT_EQ(check.input_fingerprint.count, size);
    }
}

TEST(OutputCheck, NamesTheFirstUnsortedIndexWhereverItStands) {
    auto const sorted = sorted_keys();
    for (std::size_t const index : {100U, 65'535U, 65'536U, 65'537U, 131'072U, 200'000U}) {
        auto const check = after([&](auto& keys) { keys[index] = keys[index - 1] - 1; });
        EXPECT_EQ(check.order.first_unsorted, index);
        EXPECT_FALSE(check.sorted());
        EXPECT_EQ(check.order.key_before, std::to_string(sorted[index - 1]));
        EXPECT_EQ(check.order.key_at, std::to_string(sorted[index - 1] - 1));
    }
}

TEST(OutputCheck, SaysThatTheWholeOutputIsReversed) {
    auto const check = after([](auto& keys) { std::ranges::reverse(keys); });
    EXPECT_EQ(check.order.shape, OrderShape::reversed);
    EXPECT_TRUE(check.permutation());
    OutputCheckOptions descending;
    descending.direction = Direction::descending;
    auto keys = sorted_keys();
    std::ranges::reverse(keys);
    EXPECT_TRUE(checked(some_keys(), keys, descending).holds());
    EXPECT_EQ(checked(some_keys(), sorted_keys(), descending).order.shape, OrderShape::reversed);
}

TEST(OutputCheck, SaysWhereTheOutputIsRotatedAndWhetherAChunkBeginsThere) {
    std::ptrdiff_t const chunk = (key_count + 3) / 4;
    auto const at_chunk =
        after([&](auto& keys) { std::rotate(keys.begin(), keys.end() - chunk, keys.end()); });
    EXPECT_EQ(at_chunk.order.shape, OrderShape::rotated);
    EXPECT_EQ(at_chunk.order.first_unsorted, std::uint64_t(chunk));
    EXPECT_EQ(at_chunk.order.chunk, 1U);
    EXPECT_TRUE(at_chunk.permutation());
    auto const elsewhere =
        after([&](auto& keys) { std::rotate(keys.begin(), keys.end() - 777, keys.end()); });
    EXPECT_EQ(elsewhere.order.shape, OrderShape::rotated);
    EXPECT_EQ(elsewhere.order.first_unsorted, 777U);
    EXPECT_EQ(elsewhere.order.chunk, std::nullopt);
}

TEST(OutputCheck, DistinguishesTwoExchangedKeysFromARotation) {
    auto const check = after([](auto& keys) { std::swap(keys[1'000], keys[100'000]); });
    EXPECT_EQ(check.order.shape, OrderShape::unsorted);
    EXPECT_EQ(check.order.first_unsorted, 1'001U);
    EXPECT_EQ(check.order.sorted_runs, 3U);
    EXPECT_TRUE(check.permutation());
}

TEST(OutputCheck, SaysHowManyKeysAreLostOrThatItIsALowerBound) {
    for (std::uint32_t const changed : {1U, 3U, 50U, 100'000U}) {
        auto input = some_keys(200'000);
        for (std::uint32_t i = 0; i < input.size(); ++i) {
            input[i] = 2 * i; // changing a key by 1 loses one value and gains one
        }
        auto output = input;
        for (std::uint32_t i = 0; i < changed; ++i) {
            output[2 * i] += 1;
        }
        auto const check = checked(input, output);
        for (auto const& finding : {check.lost, check.gained}) {
            ASSERT_TRUE(finding);
            EXPECT_LE(finding->key_count, changed);
            EXPECT_EQ(finding->exact, finding->key_count == changed) << changed;
        }
        EXPECT_EQ(check.lost->exact, changed < 1'000) << changed;
    }
}

TEST(OutputCheck, FindsABlockThatIsMissing) {
    auto const sorted = sorted_keys();
    auto const check =
        after([](auto& keys) { keys.erase(keys.begin() + 60'000, keys.begin() + 110'000); });
    ASSERT_TRUE(check.lost);
    EXPECT_EQ(check.lost->shape, ContentShape::block);
    EXPECT_EQ(check.lost->key_count, 50'000U);
    EXPECT_TRUE(check.lost->exact);
    EXPECT_EQ(check.lost->from, std::to_string(sorted[60'000]));
    EXPECT_EQ(check.lost->to, std::to_string(sorted[109'999]));
    EXPECT_EQ(check.lost->gpu, 1U);
    EXPECT_FALSE(check.gained);
    EXPECT_TRUE(check.sorted());
    EXPECT_EQ(check.output_count, key_count - 50'000);
}

TEST(OutputCheck, FindsABlockThatIsThereTwice) {
    auto const sorted = sorted_keys();
    auto const check = after([](auto& keys) {
        std::vector<std::uint32_t> const block(keys.begin() + 60'000, keys.begin() + 70'000);
        keys.insert(keys.begin() + 70'000, block.begin(), block.end());
    });
    ASSERT_TRUE(check.gained);
    EXPECT_EQ(check.gained->shape, ContentShape::block);
    EXPECT_EQ(check.gained->key_count, 10'000U);
    EXPECT_EQ(check.gained->from, std::to_string(sorted[60'000]));
    EXPECT_EQ(check.gained->to, std::to_string(sorted[69'999]));
    EXPECT_FALSE(check.lost);
    EXPECT_EQ(check.order.first_unsorted, 70'000U);
}

TEST(OutputCheck, FindsABlockThatWasOverwrittenByAnother) {
    auto const check = after([](auto& keys) {
        std::copy(keys.begin() + 20'000, keys.begin() + 25'000, keys.begin() + 90'000);
    });
    ASSERT_TRUE(check.lost && check.gained);
    EXPECT_EQ(check.lost->shape, ContentShape::block);
    EXPECT_EQ(check.gained->shape, ContentShape::block);
    EXPECT_EQ(check.lost->key_count, 5'000U);
    EXPECT_EQ(check.gained->key_count, 5'000U);
    EXPECT_EQ(check.input_count, check.output_count);
}

TEST(OutputCheck, CallsNoTwoNeighbouringValuesABlock) {
    std::vector<std::uint32_t> const input{1, 1, 1, 2, 2, 2, 3, 3, 3};
    auto const check = checked(input, {1, 1, 1, 1, 2, 2, 2, 2, 3});
    ASSERT_TRUE(check.gained);
    EXPECT_EQ(check.gained->shape, ContentShape::values);
    EXPECT_EQ(check.gained->key_count, 2U);
}

TEST(OutputCheck, NamesValuesThatAreLostDoubledOrReplaced) {
    auto const sorted = sorted_keys();
    auto const lost = after([](auto& keys) { keys.erase(keys.begin() + 5); });
    ASSERT_EQ(lost.values.size(), 1U);
    EXPECT_EQ(lost.values[0].key, std::to_string(sorted[5]));
    EXPECT_EQ(lost.values[0].in_input, lost.values[0].in_output + 1);
    EXPECT_EQ(lost.lost->key_count, 1U);

    auto const doubled = after([](auto& keys) { keys.insert(keys.begin() + 5, keys[5]); });
    ASSERT_EQ(doubled.values.size(), 1U);
    EXPECT_EQ(doubled.values[0].in_input + 1, doubled.values[0].in_output);
    EXPECT_TRUE(doubled.sorted());

    auto const replaced = after([](auto& keys) {
        keys.back() = 0xffff'ffffU; // not a value of the input
    });
    ASSERT_EQ(replaced.values.size(), 2U);
    EXPECT_EQ(replaced.values[0].key, std::to_string(sorted.back()));
    EXPECT_EQ(replaced.values[1], (ValueFinding{"4294967295", 0, 1}));
    EXPECT_EQ(replaced.input_count, replaced.output_count);
    EXPECT_TRUE(replaced.sorted());
}

TEST(OutputCheck, FindsChangesThatKeepCountsAndSums) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 20; ++round) {
        auto const input = some_keys(2'000);
        auto output = input;
        std::ranges::sort(output);
        std::size_t const low = random() % 1'000;
        std::size_t const high = 1'000 + random() % 1'000;
        auto const difference = static_cast<std::uint32_t>(1 + random() % 1'000);
        output[low] += difference;
        output[high] -= difference;
        std::ranges::sort(output);
        auto const check = checked(input, output);
        EXPECT_EQ(check.input_fingerprint.count, check.output_fingerprint.count);
        EXPECT_EQ(check.input_fingerprint.sum, check.output_fingerprint.sum);
        EXPECT_TRUE(check.sorted());
        EXPECT_FALSE(check.permutation()) << low << ' ' << high << ' ' << difference;
        EXPECT_TRUE(check.lost.has_value() && check.gained.has_value());
    }
}

TEST(OutputCheck, FindsOneChangedBitAnywhere) {
    for (int bit = 0; bit < 32; ++bit) {
        auto const check =
            after([&](auto& keys) { keys[static_cast<std::size_t>(bit) * 6'000] ^= 1U << bit; });
        EXPECT_FALSE(check.permutation()) << bit;
        EXPECT_EQ(check.values.size(), 2U) << bit;
    }
}

template <class T>
void expect_checked_with_faults(std::vector<T> const& sorted, Direction direction) {
    OutputCheckOptions options;
    options.direction = direction;
    auto input = sorted;
    std::ranges::shuffle(input, std::mt19937(3));
    auto output = sorted;
    if (direction == Direction::descending) {
        std::ranges::reverse(output);
    }
    EXPECT_TRUE(checked(input, output, options).holds());
    for (std::size_t i = 1; i < output.size(); ++i) {
        auto exchanged = output;
        std::swap(exchanged[i - 1], exchanged[i]);
        EXPECT_EQ(checked(input, exchanged, options).order.first_unsorted, i);
        auto lacking = output;
        lacking.erase(lacking.begin() + std::ptrdiff_t(i));
        auto const check = checked(input, lacking, options);
        ASSERT_TRUE(check.lost);
        EXPECT_EQ(check.lost->key_count, 1U);
        EXPECT_EQ(check.lost->sorted_index, i);
    }
}

TEST(OutputCheck, KnowsTheOrderOfEveryTypeInBothDirections) {
    for (Direction const direction : {Direction::ascending, Direction::descending}) {
        expect_checked_with_faults<std::uint64_t>({0, 1, 1ULL << 63, ~0ULL}, direction);
        expect_checked_with_faults<std::int32_t>({INT32_MIN, -1, 0, 1, INT32_MAX}, direction);
        expect_checked_with_faults<std::int64_t>({INT64_MIN, -1, 0, 1, INT64_MAX}, direction);
        expect_checked_with_faults<float>(
            {-NAN, -INFINITY, -1.5F, -0.0F, 0.0F, 1e-40F, 2.0F, INFINITY, NAN}, direction);
        expect_checked_with_faults<double>(
            {-double{NAN}, -double{INFINITY}, -1.5, -0.0, 0.0, 2.0, double{INFINITY}, double{NAN}},
            direction);
    }
}

TEST(OutputCheck, LetsZerosStandInAnyOrderOnlyWhereTheyAreEqual) {
    std::vector<float> const keys{-1.0F, 0.0F, -0.0F, 1.0F};
    OutputCheckOptions options;
    EXPECT_EQ(checked(keys, keys, options).order.first_unsorted, 2U);
    options.zero_order = ZeroOrder::equal;
    EXPECT_TRUE(checked(keys, keys, options).holds());
    EXPECT_FALSE(checked(keys, {-1.0F, 0.0F, 0.0F, 1.0F}, options).permutation())
        << "a -0.0 that came back as +0.0 is a lost key";
    options.direction = Direction::descending;
    EXPECT_TRUE(checked(keys, {1.0F, -0.0F, 0.0F, -1.0F}, options).holds());
}

TEST(OutputCheck, DistinguishesNansByTheirBits) {
    auto const nan_of = [](std::uint32_t bits) { return std::bit_cast<float>(bits); };
    std::vector<float> const input{1.0F, nan_of(0x7fc0'0000U), nan_of(0x7fc0'0001U)};
    std::vector<float> const output{1.0F, nan_of(0x7fc0'0000U), nan_of(0x7fc0'0000U)};
    auto const check = checked(input, output);
    ASSERT_TRUE(check.lost && check.gained);
    EXPECT_EQ(check.lost->from, "nan (0x7fc00001)");
    EXPECT_EQ(check.gained->from, "nan (0x7fc00000)");
}

TEST(OutputCheck, ComparesFilesOfDifferentFormats) {
    KeyFolder const folder;
    OutputCheckOptions options;
    options.input.key_type = KeyType::u32;
    auto const input = folder.put("in.csv", "size\n30\n10\n20\n");
    auto const output = folder.put("out.raw", std::vector<std::uint32_t>{10, 20, 30});
    auto const check = check_output(input, output, options);
    ASSERT_TRUE(check) << check.error().message();
    EXPECT_TRUE(check->holds());
}

TEST(OutputCheck, ReportsHowManyKeysWereRead) {
    std::atomic<std::uint64_t> read = 0;
    OutputCheckOptions options;
    std::uint64_t const expected = some_keys().size() + sorted_keys().size();
    options.on_keys_read = [&read, expected](std::uint64_t more, std::uint64_t all) {
        read += more;
        EXPECT_EQ(all, expected);
    };
    EXPECT_TRUE(checked(some_keys(), sorted_keys(), options).holds());
    EXPECT_EQ(read, expected);
}

TEST(OutputCheck, FindsTheSameForAnyNumberOfThreads) {
    auto const input = some_keys();
    auto output = sorted_keys();
    output.erase(output.begin() + 10, output.begin() + 90'000);
    output[7] = 0xffff'ffffU;
    OutputCheckOptions options;
    options.thread_count = 1;
    auto const once = checked(input, output, options);
    for (unsigned const threads : {2U, 5U}) {
        options.thread_count = threads;
        auto const again = checked(input, output, options);
        EXPECT_EQ(sentences(again), sentences(once));
        EXPECT_EQ(again.output_fingerprint, once.output_fingerprint);
    }
}

TEST(ImageScan, SumsTheHashesOfTheImages) {
    std::vector<float> const keys{-1.0F, -0.0F, 0.0F, 2.5F, NAN, 7.0F, 8.0F, 9.0F, -3.0F};
    std::vector<std::uint32_t> bits;
    HashSeed const seed(5);
    Fingerprint expected;
    for (float const key : keys) {
        auto const word = std::bit_cast<std::uint32_t>(key);
        bits.push_back(word);
        std::uint32_t const image = word >> 31 != 0 ? ~word : word | 0x8000'0000U;
        expected += Fingerprint{1, image, seed.mix(image), 0};
    }
    auto const rule =
        image_rule<std::uint32_t>(KeyType::f32, Direction::descending, ZeroOrder::equal);
    EXPECT_EQ(fingerprint_of_keys(bits, rule, seed), expected);
    for (std::uint32_t const word : bits) {
        EXPECT_EQ(key_by(rule, image_by(rule, word)), word);
    }
}

/// Two blocks of 128-bit keys; about four keys share each upper half.
std::vector<uint128> wide_keys() {
    std::mt19937_64 random(7);
    std::vector<uint128> keys(70'001);
    for (uint128& key : keys) {
        std::uint64_t const upper = random() % (keys.size() / 4) * 0x9e3779b97f4a7c15U;
        key = wide({upper, random() % 4});
    }
    return keys;
}

TEST(OutputCheck, OrdersKeysOf128BitsByBothHalves) {
    auto const input = wide_keys();
    auto output = input;
    std::ranges::sort(output);
    EXPECT_TRUE(checked(input, output).holds());
    auto by_upper_half = input;
    std::ranges::stable_sort(by_upper_half, {}, [](uint128 key) { return key >> 64; });
    OutputCheck const check = checked(input, by_upper_half);
    EXPECT_TRUE(check.permutation());
    EXPECT_FALSE(check.sorted());
}

TEST(OutputCheck, FindsAChangeOfEitherHalfOfAKey) {
    auto const input = wide_keys();
    auto output = input;
    std::ranges::sort(output);
    for (int const bit : {0, 63, 64, 127}) {
        SCOPED_TRACE(bit);
        auto wrong = output;
        uint128& key = wrong[50'000];
        uint128 const right = key;
        key ^= uint128{1} << bit;
        OutputCheck const check = checked(input, wrong);
        EXPECT_FALSE(check.permutation());
        ASSERT_TRUE(check.lost && check.gained);
        EXPECT_EQ(check.lost->key_count, 1U);
        EXPECT_EQ(check.lost->from, shown_key(KeyType::u128, right));
        EXPECT_EQ(check.gained->from, shown_key(KeyType::u128, key));
    }
}

TEST(OutputCheck, GuessesThatBytesWereComparedFromTheirOtherEnd) {
    KeyFolder const folder;
    auto const input = wide_keys();
    auto output = input;
    std::ranges::sort(output); // as numbers, stored with the least significant byte first
    OutputCheckOptions options;
    options.input.key_type = KeyType::b128;
    auto const check = check_output(folder.put("in", input), folder.put("out", output), options);
    ASSERT_TRUE(check) << check.error().message();
    EXPECT_TRUE(check->permutation());
    EXPECT_FALSE(check->sorted());
    ASSERT_TRUE(check->guess);
    EXPECT_NE(check->guess->sentence.find("bytes of each key are read in the other order, as u128"),
              std::string::npos)
        << check->guess->sentence;
}

} // namespace
} // namespace keyswap::model
