#include "kernels/sorts/whole_sort_test.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <set>
#include <string>

namespace keyswap::kernels {
namespace {

using gpu_test::devices;
using gpu_test::expect_host_sort_is_right;
using gpu_test::expect_host_sort_is_right_for_all_patterns;
using gpu_test::make_keys;
using gpu_test::MemorySink;
using gpu_test::pattern_count;
using gpu_test::pattern_names;
using gpu_test::ResidentChunks;
using gpu_test::TestRandom;

SortOptions sample_sort(int gpus, std::string const& variant = "fast") {
    SortOptions options;
    options.choice = choose("sample-sort", variant).value();
    options.tolerance_ppm = 20'000;
    options.devices = devices(gpus);
    return options;
}

TEST(SampleSort, EqualsStdSortForAllTypesAndPatternsOnOneToEightGpus) {
    KEYSWAP_NEEDS_GPUS(1);
    for (KeyType const type : every_key_type) {
        for (int const gpus : {1, 2, 3, 5, 8}) {
            SortOptions options = sample_sort(gpus);
            options.key_type = type;
            options.direction = gpus == 3 ? Direction::descending : Direction::ascending;
            expect_host_sort_is_right_for_all_patterns(options, {30'011});
        }
    }
}

TEST(SampleSort, SortsAnyNumberOfKeysFromNoneOn) {
    KEYSWAP_NEEDS_GPUS(1);
    // Fewer keys than GPUs, empty chunks, and leaves of every size class.
    for (int const gpus : {1, 5}) {
        expect_host_sort_is_right_for_all_patterns(
            sample_sort(gpus),
            {0, 1, 2, 4, 6, 99, 1'023, 1'024, 1'025, 4'097, 6'145, 8'191, 8'192, 8'193, 1'000'003});
        SortOptions wide = sample_sort(gpus);
        wide.key_type = KeyType::i128;
        expect_host_sort_is_right_for_all_patterns(
            wide, {0, 1, 3, 287, 289, 897, 1'153, 1'409, 2'303, 2'304, 2'305, 1'000'003});
    }
}

TEST(SampleSort, KeepsEveryValueWithItsKey) {
    KEYSWAP_NEEDS_GPUS(1);
    for (KeyType const type : {KeyType::u32, KeyType::f64, KeyType::i128}) {
        for (ValueType const value_type : {ValueType::bits32, ValueType::bits64}) {
            for (int const gpus : {1, 4}) {
                SortOptions options = sample_sort(gpus);
                options.key_type = type;
                options.value_type = value_type;
                expect_host_sort_is_right_for_all_patterns(options, {4'096, 150'007});
            }
        }
    }
}

TEST(SampleSort, DividesDownToLeavesInSeveralLevels) {
    KEYSWAP_NEEDS_GPUS(1);
    for (KeyType const type : {KeyType::u32, KeyType::u64}) {
        SortOptions options = sample_sort(2);
        options.key_type = type;
        expect_host_sort_is_right_for_all_patterns(options, {5'000'011});
    }
}

TEST(SampleSort, TakesFewWaysNoToleranceAndFewSamples) {
    KEYSWAP_NEEDS_GPUS(1);
    for (std::uint64_t const ways : {2, 3, 17, 256}) {
        SortOptions options = sample_sort(4);
        options.tolerance_ppm = 0;
        options.parameters["ways"] = ways;
        options.parameters["oversampling"] = 1;
        options.parameters["sample-seed"] = ~std::uint64_t{0};
        expect_host_sort_is_right_for_all_patterns(options, {3, 2'003});
    }
}

TEST(SampleSort, SortsWhatBreaksOtherSampleSorts) {
    KEYSWAP_NEEDS_GPUS(1);
    std::uint64_t const count = 70'001;
    std::pair<char const*,
              std::function<std::uint32_t(
                  std::uint64_t,
                  std::uint64_t)>> const inputs[] = {{"whole numbers 1 to 10",
                                                      [](std::uint64_t, std::uint64_t random) {
                                                          return std::bit_cast<std::uint32_t>(
                                                              static_cast<float>(1 + random % 10));
                                                      }},
                                                     {"one value",
                                                      [](std::uint64_t, std::uint64_t) {
                                                          return 0x40490fdbU;
                                                      }},
                                                     {"two values, one of them rare",
                                                      [](std::uint64_t i, std::uint64_t) {
                                                          return i % 1'000 == 0 ? 7U : 8U;
                                                      }},
                                                     {"NaN and -0.0",
                                                      [](std::uint64_t, std::uint64_t random) {
                                                          constexpr std::uint32_t specials[] = {
                                                              0x80000000U,
                                                              0U,
                                                              0x7fc00000U,
                                                              0xffc00000U,
                                                              0x7f800000U,
                                                              0xff800000U};
                                                          return specials[random % 6];
                                                      }},
                                                     {"codes shifted left by 16",
                                                      [](std::uint64_t, std::uint64_t random) {
                                                          return static_cast<std::uint32_t>(random %
                                                                                            300)
                                                                 << 16;
                                                      }},
                                                     {"organ pipe",
                                                      [](std::uint64_t i, std::uint64_t) {
                                                          return static_cast<std::uint32_t>(
                                                              std::min(i, 70'001 - i));
                                                      }}};
    for (auto const& [name, key_of] : inputs) {
        for (int const gpus : {1, 3, 8}) {
            SCOPED_TRACE(std::string{name} + " on " + std::to_string(gpus) + " GPUs");
            SortOptions options = sample_sort(gpus);
            options.key_type = KeyType::f32;
            options.value_type = ValueType::bits32;
            TestRandom random{17};
            std::vector<std::uint32_t> keys(count);
            for (std::uint64_t i = 0; i < count; ++i) {
                keys[i] = key_of(i, random.next());
            }
            auto sorter = Sorter::create(options, count, ChunkBuffers::sorter);
            ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
            expect_host_sort_is_right(*sorter, keys);
        }
    }
}

TEST(SampleSort, SortsDeviceResidentChunksInACallersStreams) {
    KEYSWAP_NEEDS_GPUS(1);
    std::uint64_t const count = 200'003;
    for (int const gpus : {1, 4}) {
        SortOptions options = sample_sort(gpus);
        options.key_type = KeyType::f32;
        for (int pattern = 0; pattern < pattern_count; ++pattern) {
            auto const keys = make_keys<std::uint32_t>(pattern, count, 3);
            auto sorter = Sorter::create(options, count, ChunkBuffers::caller);
            ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
            ResidentChunks<std::uint32_t> const chunks{*sorter, keys};
            auto const report = sorter->sort_in_place(chunks.chunks(), count);
            ASSERT_TRUE(report.has_value()) << report.error().message;
            EXPECT_EQ(chunks.sorted(*report).keys, gpu_test::sorted_on_cpu(keys, options).keys)
                << pattern_names[pattern];
        }
    }
}

/// Keys that differ in one half only, and addresses with mostly the same prefix.
TEST(SampleSort, OrdersWideKeysByBothHalves) {
    KEYSWAP_NEEDS_GPUS(1);
    std::uint64_t const count = 60'013;
    TestRandom random{23};
    std::vector<WideImage> upper(count);
    std::vector<WideImage> lower(count);
    std::vector<WideImage> addresses(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        upper[i] = wide_image({random.next(), 5});
        lower[i] = wide_image({5, random.next()});
        // 2001:db8::/32; one in seven is another network.
        std::uint64_t const network =
            random.next() % 7 == 0 ? random.next() : 0x20010db800000000ULL;
        addresses[i] = wide_image({network, random.next()});
    }
    for (KeyType const type : {KeyType::u128, KeyType::i128, KeyType::b128}) {
        for (int const gpus : {1, 3}) {
            SortOptions options = sample_sort(gpus);
            options.key_type = type;
            options.direction = gpus == 3 ? Direction::descending : Direction::ascending;
            auto sorter = Sorter::create(options, count, ChunkBuffers::sorter);
            ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
            for (auto const* const keys : {&upper, &lower, &addresses}) {
                SCOPED_TRACE(std::string{to_string(type)} + " on " + std::to_string(gpus));
                expect_host_sort_is_right(*sorter, *keys);
            }
        }
    }
}

TEST(SampleSort, SortsWideKeysInACallersChunks) {
    KEYSWAP_NEEDS_GPUS(1);
    std::uint64_t const count = 100'003;
    for (int const gpus : {1, 4}) {
        SortOptions options = sample_sort(gpus);
        options.key_type = KeyType::i128;
        options.direction = gpus == 4 ? Direction::descending : Direction::ascending;
        auto sorter = Sorter::create(options, count, ChunkBuffers::caller);
        ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
        for (int pattern = 0; pattern < pattern_count; ++pattern) {
            auto const keys = make_keys<WideImage>(pattern, count, 3);
            ResidentChunks<WideImage> const chunks{*sorter, keys};
            auto const report = sorter->sort_in_place(chunks.chunks(), count);
            ASSERT_TRUE(report.has_value()) << report.error().message;
            EXPECT_TRUE(chunks.sorted(*report).keys == gpu_test::sorted_on_cpu(keys, options).keys)
                << pattern_names[pattern];
        }
    }
}

TEST(SampleSort, RecordsSplittersOfWideKeysAndDigestsOfTheirImages) {
    KEYSWAP_NEEDS_GPUS(1);
    std::uint64_t const count = 40'009;
    SortOptions options = sample_sort(3);
    options.key_type = KeyType::i128;
    auto sorter = Sorter::create(options, count, ChunkBuffers::sorter);
    ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
    EXPECT_EQ(sorter->describe(count).version, 2);
    auto keys = make_keys<WideImage>(0, count, 5);
    ImageCode const code = image_code(options.key_type, options.direction);
    std::set<KeyImage> images;
    MultisetDigest expected;
    for (WideImage const key : keys) {
        KeyImage const image = key_image(encode_image(key, code));
        images.insert(image);
        expected += digest_of_wide(image);
    }
    MemorySink sink;
    auto const report = sorter->sort(keys.data(), nullptr, count, PhaseTiming::off, &sink);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    for (BucketFunctionRecord const& record : sink.all<BucketFunctionRecord>()) {
        for (KeyImage const& splitter : std::get<SplitterBuckets>(record.function.rule).splitters) {
            EXPECT_TRUE(images.contains(splitter));
        }
    }
    for (DigestStage const stage : {DigestStage::before_swap, DigestStage::after_swap}) {
        MultisetDigest sum;
        for (DigestRecord const& record : sink.all<DigestRecord>()) {
            if (record.stage == stage) {
                sum += record.digest;
            }
        }
        EXPECT_EQ(sum, expected);
    }
}

TEST(SampleSort, RecordsFunctionsThatItsHistogramsName) {
    KEYSWAP_NEEDS_GPUS(1);
    std::uint64_t const count = 50'021;
    auto sorter = Sorter::create(sample_sort(4), count, ChunkBuffers::sorter);
    ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
    RunHeader const header = sorter->describe(count);
    EXPECT_EQ(header.version, 2);
    auto keys = make_keys<std::uint32_t>(0, count, 5);
    MemorySink sink;
    auto const report = sorter->sort(keys.data(), nullptr, count, PhaseTiming::on, &sink);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    std::set<std::uint32_t> known;
    for (TraceRecord const& record : sink.records) {
        if (auto const* const function = std::get_if<BucketFunctionRecord>(&record)) {
            EXPECT_TRUE(known.insert(function->id).second);
        }
        if (auto const* const histogram = std::get_if<HistogramRecord>(&record)) {
            ASSERT_TRUE(histogram->function.has_value());
            EXPECT_TRUE(known.contains(*histogram->function));
        }
    }
    EXPECT_FALSE(known.empty());
    EXPECT_EQ(report->passes, 1);
}

TEST(SampleSortPaper, EqualsStdSortForAllTypesOnOneToEightGpus) {
    KEYSWAP_NEEDS_GPUS(1);
    for (KeyType const type : every_key_type) {
        for (int const gpus : {1, 3, 8}) {
            SortOptions options = sample_sort(gpus, "paper");
            options.key_type = type;
            options.direction = gpus == 3 ? Direction::descending : Direction::ascending;
            expect_host_sort_is_right_for_all_patterns(options, {30'011});
        }
    }
}

// Up to 2,048 keys by the network alone, up to 2^17 by quicksort, more after a level.
TEST(SampleSortPaper, SortsAnyNumberOfKeysFromNoneOn) {
    KEYSWAP_NEEDS_GPUS(1);
    for (int const gpus : {1, 5}) {
        expect_host_sort_is_right_for_all_patterns(
            sample_sort(gpus, "paper"),
            {0, 1, 2, 3, 99, 2'047, 2'048, 2'049, 4'097, 8'193, 131'071, 131'072, 131'073});
    }
}

TEST(SampleSortPaper, KeepsEveryValueWithItsKey) {
    KEYSWAP_NEEDS_GPUS(1);
    for (KeyType const type : {KeyType::u32, KeyType::f64, KeyType::i128}) {
        for (ValueType const value_type : {ValueType::bits32, ValueType::bits64}) {
            for (int const gpus : {1, 4}) {
                SortOptions options = sample_sort(gpus, "paper");
                options.key_type = type;
                options.value_type = value_type;
                expect_host_sort_is_right_for_all_patterns(options, {2'000, 150'007});
            }
        }
    }
}

TEST(SampleSortPaper, DividesDownToLeavesInTwoLevels) {
    KEYSWAP_NEEDS_GPUS(1);
    std::uint64_t const count = (std::uint64_t{1} << 24) + 1'000'003; // 128 times 2^17 and more
    auto sorter = Sorter::create(sample_sort(1, "paper"), count, ChunkBuffers::sorter);
    ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
    for (int const pattern : {0, 4}) {
        SCOPED_TRACE(pattern_names[pattern]);
        expect_host_sort_is_right(*sorter, make_keys<std::uint32_t>(pattern, count, 9));
    }
}

TEST(SampleSortPaper, PlacesTheSameKeysAsFast) {
    KEYSWAP_NEEDS_GPUS(1);
    std::uint64_t const count = 50'021;
    auto keys = make_keys<std::uint32_t>(0, count, 5);
    std::vector<OwnershipRecord> owned[2];
    for (std::size_t i = 0; i < 2; ++i) {
        auto sorter =
            Sorter::create(sample_sort(4, i == 0 ? "fast" : "paper"), count, ChunkBuffers::sorter);
        ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
        auto input = keys;
        MemorySink sink;
        auto const report = sorter->sort(input.data(), nullptr, count, PhaseTiming::off, &sink);
        ASSERT_TRUE(report.has_value()) << report.error().message;
        owned[i] = sink.all<OwnershipRecord>();
    }
    EXPECT_EQ(owned[0], owned[1]);
}

TEST(SampleSort, RefusesWhatItCannotDo) {
    KEYSWAP_NEEDS_GPUS(1);
    SortOptions options = sample_sort(2);
    options.parameters["ways"] = 1;
    auto const one_way = Sorter::create(options, 100, ChunkBuffers::sorter);
    ASSERT_FALSE(one_way.has_value());
    EXPECT_EQ(one_way.error().code, SortErrorCode::invalid_option);
    options = sample_sort(2);
    options.stability = Stability::stable;
    EXPECT_FALSE(Sorter::create(options, 100, ChunkBuffers::sorter).has_value());
}

} // namespace
} // namespace keyswap::kernels
