#include "kernels/sort.hpp"

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/device_buffer.hpp"
#include "kernels/primitives/partition/placement_rule.hpp"
#include "kernels/sorts/whole_sort_test.hpp"

#include <map>
#include <numeric>
#include <set>

namespace keyswap::kernels {
namespace {

using gpu_test::devices;
using gpu_test::Elements;
using gpu_test::expect_host_sort_is_right;
using gpu_test::expect_host_sort_is_right_for_all_patterns;
using gpu_test::make_keys;
using gpu_test::MemorySink;
using gpu_test::pattern_count;
using gpu_test::pattern_names;
using gpu_test::ResidentChunks;
using gpu_test::rmg;
using gpu_test::sorted_on_cpu;

constexpr KeyType key_types[] = {
    KeyType::u32, KeyType::u64, KeyType::i32, KeyType::i64, KeyType::f32, KeyType::f64};
constexpr std::string_view variants[] = {"paper", "rotated", "fast"};

class SortOfVariant : public ::testing::TestWithParam<std::string_view> {};

TEST_P(SortOfVariant, EqualsStdSortForAllTypesAndPatternsOnOneToEightGpus) {
    KEYSWAP_NEEDS_GPUS(1);
    for (KeyType const type : key_types) {
        for (int gpus = 1; gpus <= 8; ++gpus) {
            SortOptions options;
            options.key_type = type;
            options.choice = rmg(GetParam());
            options.devices = devices(gpus);
            expect_host_sort_is_right_for_all_patterns(options, {30'011});
        }
    }
}

TEST_P(SortOfVariant, EqualsStdSortOnThirteenVirtualGpus) {
    KEYSWAP_NEEDS_GPUS(1);
    for (KeyType const type : key_types) {
        SortOptions options;
        options.key_type = type;
        options.choice = rmg(GetParam());
        options.devices = std::vector<int>(13, 0);
        expect_host_sort_is_right_for_all_patterns(options, {13'337});
    }
}

TEST_P(SortOfVariant, SortsAnyNumberOfKeysFromNoneOn) {
    KEYSWAP_NEEDS_GPUS(1);
    SortOptions options;
    options.choice = rmg(GetParam());
    options.devices = std::vector<int>(5, 0);
    expect_host_sort_is_right_for_all_patterns(
        options, {0, 1, 2, 3, 4, 5, 6, 9, 11, 99, 1'000, 4'097, 1'000'003});
}

TEST_P(SortOfVariant, SortsDescendingWithValuesKeptAndEqualKeysInInputOrder) {
    KEYSWAP_NEEDS_GPUS(1);
    for (KeyType const type : key_types) {
        for (ValueType const value_type : {ValueType::bits32, ValueType::bits64}) {
            for (int const gpus : {1, 3, 4}) {
                SortOptions options;
                options.key_type = type;
                options.value_type = value_type;
                options.direction = gpus == 3 ? Direction::ascending : Direction::descending;
                options.stability = Stability::stable;
                options.choice = rmg(GetParam());
                options.devices = devices(gpus);
                expect_host_sort_is_right_for_all_patterns(options, {20'021});
            }
        }
    }
}

TEST_P(SortOfVariant, SortsWithDigitsOfAnyWidthAndAnyTolerance) {
    KEYSWAP_NEEDS_GPUS(1);
    for (int const digit_bits : {1, 3, 7, 10, 12}) {
        for (std::uint32_t const tolerance_ppm : {0U, 5'000U, 400'000U}) {
            SortOptions options;
            options.digit_bits = digit_bits;
            options.tolerance_ppm = tolerance_ppm;
            options.fuse_ppm = 2 * tolerance_ppm;
            options.choice = rmg(GetParam());
            options.devices = std::vector<int>(3, 0);
            expect_host_sort_is_right_for_all_patterns(options, {10'007});
        }
    }
}

TEST_P(SortOfVariant, SortsDeviceResidentChunksWithinTheirCapacity) {
    KEYSWAP_NEEDS_GPUS(1);
    for (int const gpus : {1, 2, 4, 7}) {
        for (int pattern = 0; pattern < pattern_count; ++pattern) {
            std::uint64_t const count = 200'003;
            SortOptions options;
            options.key_type = KeyType::f32;
            options.value_type = ValueType::bits32;
            options.choice = rmg(GetParam());
            options.devices = devices(gpus);
            auto sorter = Sorter::create(options, count, ChunkBuffers::caller);
            ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
            auto const keys = make_keys<std::uint32_t>(pattern, count, 3);
            auto const expected = sorted_on_cpu(keys, options);
            ResidentChunks<std::uint32_t> const chunks{*sorter, keys};
            auto const report = sorter->sort_in_place(chunks.chunks(), count);
            ASSERT_TRUE(report.has_value()) << report.error().message;
            auto const sorted = chunks.sorted(*report);
            ASSERT_EQ(sorted.keys, expected.keys) << pattern_names[pattern];
            ASSERT_EQ(sorted.values, expected.values) << pattern_names[pattern];
        }
    }
}

TEST_P(SortOfVariant, RecordsARunWhoseDigestsSurviveTheSwap) {
    KEYSWAP_NEEDS_GPUS(1);
    for (int pattern = 0; pattern < pattern_count; ++pattern) {
        std::uint64_t const count = 50'021;
        SortOptions options;
        options.choice = rmg(GetParam());
        options.devices = std::vector<int>(4, 0);
        auto sorter = Sorter::create(options, count, ChunkBuffers::sorter);
        ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
        auto keys = make_keys<std::uint32_t>(pattern, count, 5);
        MemorySink sink;
        auto const report = sorter->sort(keys.data(), nullptr, count, PhaseTiming::on, &sink);
        ASSERT_TRUE(report.has_value()) << report.error().message;
        EXPECT_FALSE(report->times.empty());

        std::map<BucketPrefix, MultisetDigest> before;
        std::map<BucketPrefix, MultisetDigest> after;
        MultisetDigest all;
        for (DigestRecord const& record : sink.all<DigestRecord>()) {
            (record.stage == DigestStage::before_swap ? before : after)[record.bucket] +=
                record.digest;
            if (record.stage == DigestStage::before_swap) {
                all += record.digest;
            }
        }
        EXPECT_EQ(before, after);
        MultisetDigest expected;
        for (std::uint32_t const key : keys) {
            expected += digest_of(key);
        }
        EXPECT_EQ(all, expected);

        std::uint64_t const chunk = (count + 3) / 4;
        std::uint64_t copied = 0;
        for (CopyRecord const& copy : sink.all<CopyRecord>()) {
            copied += copy.count;
        }
        EXPECT_EQ(copied, count);
        for (OwnershipRecord const& record : sink.all<OwnershipRecord>()) {
            EXPECT_LE(record.count, chunk + 2 * share_of_chunk(chunk, options.tolerance_ppm));
        }
        std::uint64_t placed = 0;
        for (PlacementRecord const& record : sink.all<PlacementRecord>()) {
            placed += record.state == PlacementState::spanning ? 0 : record.end - record.begin;
        }
        EXPECT_EQ(placed, count);
        int deepest = 0;
        for (PlacementRecord const& record : sink.all<PlacementRecord>()) {
            deepest = std::max(deepest, record.bucket.pass);
        }
        EXPECT_EQ(report->passes, deepest);
    }
}

TEST_P(SortOfVariant, RecordsNoPassOnOneGpuButAllItsKeys) {
    KEYSWAP_NEEDS_GPUS(1);
    std::uint64_t const count = 12'345;
    SortOptions options;
    options.choice = rmg(GetParam());
    auto sorter = Sorter::create(options, count, ChunkBuffers::sorter);
    ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
    auto keys = make_keys<std::uint32_t>(0, count, 5);
    MultisetDigest expected;
    for (std::uint32_t const key : keys) {
        expected += digest_of(key);
    }
    MemorySink sink;
    auto const report = sorter->sort(keys.data(), nullptr, count, PhaseTiming::off, &sink);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(report->passes, 0);
    EXPECT_TRUE(sink.all<HistogramRecord>().empty());
    EXPECT_TRUE(sink.all<PlacementRecord>().empty());
    EXPECT_EQ(sink.all<CopyRecord>(), std::vector<CopyRecord>({{GpuId{0}, 0, GpuId{0}, 0, count}}));
    EXPECT_EQ(sink.all<SortRangeRecord>(),
              std::vector<SortRangeRecord>({{GpuId{0}, 0, count, 0, 32}}));
    for (DigestRecord const& record : sink.all<DigestRecord>()) {
        EXPECT_EQ(record.digest, expected);
    }
    EXPECT_EQ(sink.all<DigestRecord>().size(), 2U);
}

// Small enough for a sanitizer, under which kernels are a hundred times slower.
TEST_P(SortOfVariant, SortsAFewThousandPairsOnFourGpus) {
    KEYSWAP_NEEDS_GPUS(1);
    SortOptions options;
    options.key_type = KeyType::f32;
    options.value_type = ValueType::bits32;
    options.tolerance_ppm = 100'000;
    options.choice = rmg(GetParam());
    options.devices = devices(4);
    auto sorter = Sorter::create(options, 9'001, ChunkBuffers::sorter);
    ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
    expect_host_sort_is_right(*sorter, make_keys<std::uint32_t>(0, 9'001, 1));
    expect_host_sort_is_right(*sorter, make_keys<std::uint32_t>(8, 9'001, 1));
}

// For racecheck, under which blocks are so slow that look-back takes seconds.
TEST_P(SortOfVariant, SortsAFewHundredKeysOnTwoGpus) {
    KEYSWAP_NEEDS_GPUS(1);
    SortOptions options;
    options.tolerance_ppm = 100'000;
    options.choice = rmg(GetParam());
    options.devices = devices(2);
    auto sorter = Sorter::create(options, 701, ChunkBuffers::sorter);
    ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
    expect_host_sort_is_right(*sorter, make_keys<std::uint32_t>(0, 701, 1));
}

// With a tolerance of a tenth of a chunk, one pass places the buckets of most patterns, even with
// few keys, so that `fast` does not fall back to passes.
TEST_P(SortOfVariant, EqualsStdSortWhereOnePassPlacesAllBuckets) {
    KEYSWAP_NEEDS_GPUS(1);
    for (KeyType const type : key_types) {
        for (ValueType const value_type : {ValueType::none, ValueType::bits32, ValueType::bits64}) {
            for (int const gpus : {2, 3, 5, 8, 13}) {
                SortOptions options;
                options.key_type = type;
                options.value_type = value_type;
                options.direction = gpus == 3 ? Direction::descending : Direction::ascending;
                options.tolerance_ppm = 100'000;
                options.choice = rmg(GetParam());
                options.devices = devices(gpus);
                if (gpus % 2 == 0) {
                    options.tuning.counting_min = 0; // for any number of keys
                }
                expect_host_sort_is_right_for_all_patterns(options, {60'013});
            }
        }
    }
}

TEST_P(SortOfVariant, KeepsOrderElementsAndStabilityOfMillionsOfPairsInSeveralRounds) {
    KEYSWAP_NEEDS_GPUS(1);
    std::uint64_t const count = 52'000'001; // above 2^24 per GPU: `fast` uses five rounds
    SortOptions options;
    options.key_type = KeyType::i32;
    options.value_type = ValueType::bits32;
    options.choice = rmg(GetParam());
    options.tolerance_ppm = 20'000;
    options.devices = devices(3);
    auto sorter = Sorter::create(options, count, ChunkBuffers::sorter);
    ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
    for (int const pattern : {0, 5, 6}) {
        auto keys = make_keys<std::uint32_t>(pattern, count, 11);
        std::vector<std::uint32_t> values(count);
        std::iota(values.begin(), values.end(), 0U);
        MultisetDigest before;
        for (std::uint64_t i = 0; i < count; ++i) {
            before += digest_of(keys[i], values[i]);
        }
        auto const report = sorter->sort(keys.data(), values.data(), count);
        ASSERT_TRUE(report.has_value()) << report.error().message;
        MultisetDigest after;
        std::uint64_t out_of_order = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            after += digest_of(keys[i], values[i]);
            if (i > 0) {
                auto const previous = static_cast<std::int32_t>(keys[i - 1]);
                auto const current = static_cast<std::int32_t>(keys[i]);
                out_of_order +=
                    previous > current || (previous == current && values[i - 1] >= values[i]);
            }
        }
        EXPECT_EQ(after, before) << pattern_names[pattern];
        EXPECT_EQ(out_of_order, 0U) << pattern_names[pattern];
    }
}

TEST(FastSort, CountsMillionsOfKeysInSeveralRounds) {
    KEYSWAP_NEEDS_GPUS(1);
    std::uint64_t const count = 70'000'001; // above 2^24 per GPU: six rounds
    SortOptions options;
    options.key_type = KeyType::i32;
    options.direction = Direction::descending;
    options.tolerance_ppm = 20'000;
    options.devices = devices(4);
    options.tuning.counting_min = 256; // uniform keys have 534
    auto sorter = Sorter::create(options, count, ChunkBuffers::sorter);
    ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
    for (int const pattern : {0, 5, 6}) {
        auto keys = make_keys<std::uint32_t>(pattern, count, 11);
        MultisetDigest before;
        for (std::uint32_t const key : keys) {
            before += digest_of(key, 0);
        }
        auto const report = sorter->sort(keys.data(), nullptr, count);
        ASSERT_TRUE(report.has_value()) << report.error().message;
        MultisetDigest after;
        for (std::uint32_t const key : keys) {
            after += digest_of(key, 0);
        }
        EXPECT_EQ(after, before) << pattern_names[pattern];
        EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end(), [](std::uint32_t a, std::uint32_t b) {
            return static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b);
        })) << pattern_names[pattern];
    }
}

TEST(FastSortOnOneGpu, CountsNothingWhereABucketHasTooManyKeys) {
    KEYSWAP_NEEDS_GPUS(1);
    std::uint64_t const count = 40'000'001; // more than 0xffff keys on average in 2^9 stretches
    SortOptions options;
    options.tuning.digits_min = 0;
    options.tuning.leading_bytes_min = 0;
    options.tuning.counting_min = 0;
    options.devices = devices(1);
    auto sorter = Sorter::create(options, count, ChunkBuffers::sorter);
    ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
    std::vector<std::uint32_t> keys(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        keys[i] = static_cast<std::uint32_t>(mix_bits(i)) >> 8;
    }
    std::vector<std::uint32_t> expected = keys;
    std::ranges::sort(expected);
    auto const report = sorter->sort(keys.data(), nullptr, count);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_TRUE(keys == expected);
}

TEST(FastSortOnOneGpu, EqualsStdSortByDigitsFromTheHighestOn) {
    KEYSWAP_NEEDS_GPUS(1);
    for (KeyType const type : key_types) {
        SortOptions options;
        options.key_type = type;
        options.direction = type == KeyType::f32 || type == KeyType::u64 ? Direction::descending
                                                                         : Direction::ascending;
        options.tuning.digits_min = 0;
        options.tuning.leading_bytes_min = 0;
        options.devices = devices(1);
        for (std::uint64_t const counting_min :
             {std::uint64_t{0}, SortOptions{}.tuning.counting_min}) {
            options.tuning.counting_min = counting_min;
            expect_host_sort_is_right_for_all_patterns(
                options, {0, 1, 4'096, 4'097, 8'193, 100'003, 1'000'003});
        }
    }
}

TEST(FastSortOnOneGpu, KeepsEveryValueWithItsKeyAndTheOrderOfEqualKeysWhereAsked) {
    KEYSWAP_NEEDS_GPUS(1);
    for (KeyType const type : {KeyType::u32, KeyType::f64}) {
        for (ValueType const value_type : {ValueType::bits32, ValueType::bits64}) {
            for (Stability const stability : {Stability::unstable, Stability::stable}) {
                SortOptions options;
                options.key_type = type;
                options.value_type = value_type;
                options.stability = stability;
                options.tuning.digits_min = 0;
                options.tuning.leading_bytes_min = 0;
                options.devices = devices(1);
                expect_host_sort_is_right_for_all_patterns(
                    options, {1, 513, 4'096, 8'193, 100'003, 1'500'007});
            }
        }
    }
}

TEST(FastSortOnOneGpu, EqualsStdSortWhereNothingIsCounted) {
    KEYSWAP_NEEDS_GPUS(1);
    for (KeyType const type : key_types) {
        SortOptions options;
        options.key_type = type;
        options.direction = type == KeyType::i32 || type == KeyType::f64 ? Direction::descending
                                                                         : Direction::ascending;
        options.tuning.digits_min = 0;
        options.tuning.leading_bytes_min = 0;
        options.tuning.counting_min = ~std::uint32_t{0};
        options.devices = devices(1);
        expect_host_sort_is_right_for_all_patterns(options,
                                                   {0, 1, 511, 4'097, 8'193, 100'003, 1'500'007});
    }
}

/// A few keys crowd where the sample does not detect them: equal keys, and adjacent ones.
template <class Word>
void expect_crowds_are_sorted(KeyType type, int gpus) {
    SortOptions options;
    options.key_type = type;
    options.tuning.digits_min = 0;
    options.tuning.leading_bytes_min = 0;
    options.devices = devices(gpus);
    std::uint64_t const count = 6'000'011;
    auto sorter = Sorter::create(options, count, ChunkBuffers::sorter);
    ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
    auto keys = make_keys<Word>(0, count, 5);
    for (std::uint64_t i = 0; i < 15'000; ++i) {
        keys[i * 400] = Word{0x12345678};
        keys[i * 400 + 1] = static_cast<Word>(Word{0x55} << (sizeof(Word) * 8 - 8) | i / 2);
    }
    for (std::uint64_t i = 7; i < count; i += 4) { // leaves fewer keys above the middle
        keys[i] >>= 1U;
    }
    auto sorted = keys;
    ASSERT_TRUE(sorter->sort(sorted.data(), nullptr, count).has_value());
    std::ranges::sort(keys);
    EXPECT_EQ(sorted, keys);
}

TEST(FastSortOnOneGpu, DividesAgainWhatCrowds) {
    KEYSWAP_NEEDS_GPUS(1);
    expect_crowds_are_sorted<std::uint32_t>(KeyType::u32, 1);
    expect_crowds_are_sorted<std::uint64_t>(KeyType::u64, 1);
}

TEST(FastSortByLevels, EqualsStdSortForAllTypesAndPatternsOnTwoToEightGpus) {
    KEYSWAP_NEEDS_GPUS(1);
    for (KeyType const type : key_types) {
        for (int const gpus : {2, 3, 4, 8}) {
            SortOptions options;
            options.key_type = type;
            options.direction = gpus == 3 ? Direction::descending : Direction::ascending;
            options.tuning.digits_min = 0;
            options.tuning.leading_bytes_min = 0;
            options.tuning.counting_min = ~std::uint32_t{0};
            options.devices = devices(gpus);
            expect_host_sort_is_right_for_all_patterns(options, {0, 1, 777, 30'011, 500'009});
        }
    }
}

TEST(FastSortByLevels, KeepsEveryValueWithItsKeyAndTheOrderOfEqualKeysWhereAsked) {
    KEYSWAP_NEEDS_GPUS(1);
    for (KeyType const type : {KeyType::u32, KeyType::u64, KeyType::f64}) {
        for (ValueType const value_type : {ValueType::bits32, ValueType::bits64}) {
            for (Stability const stability : {Stability::unstable, Stability::stable}) {
                SortOptions options;
                options.key_type = type;
                options.value_type = value_type;
                options.stability = stability;
                options.tuning.digits_min = 0;
                options.tuning.leading_bytes_min = 0;
                options.devices = devices(3);
                expect_host_sort_is_right_for_all_patterns(options, {1, 8'193, 300'007});
            }
        }
    }
}

TEST(FastSortByLevels, SortsDeviceResidentChunksWhosePartsCameByPairs) {
    KEYSWAP_NEEDS_GPUS(1);
    for (int const gpus : {2, 5}) {
        for (int pattern = 0; pattern < pattern_count; ++pattern) {
            std::uint64_t const count = 400'009;
            SortOptions options;
            options.key_type = KeyType::f64;
            options.tuning.digits_min = 0;
            options.tuning.leading_bytes_min = 0;
            options.devices = devices(gpus);
            auto sorter = Sorter::create(options, count, ChunkBuffers::caller);
            ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
            auto const keys = make_keys<std::uint64_t>(pattern, count, 3);
            ResidentChunks<std::uint64_t> const chunks{*sorter, keys};
            auto const report = sorter->sort_in_place(chunks.chunks(), count);
            ASSERT_TRUE(report.has_value()) << report.error().message;
            ASSERT_EQ(chunks.sorted(*report).keys, sorted_on_cpu(keys, options).keys)
                << pattern_names[pattern];
        }
    }
}

TEST(FastSortByLevels, SortsMillionsInRoundsAndWhatCrowdsInThem) {
    KEYSWAP_NEEDS_GPUS(1);
    for (int const gpus : {2, 4}) {
        expect_crowds_are_sorted<std::uint32_t>(KeyType::u32, gpus);
        expect_crowds_are_sorted<std::uint64_t>(KeyType::u64, gpus);
    }
}

INSTANTIATE_TEST_SUITE_P(AllVariants,
                         SortOfVariant,
                         ::testing::ValuesIn(variants),
                         [](auto const& each) { return std::string{each.param}; });

} // namespace
} // namespace keyswap::kernels
