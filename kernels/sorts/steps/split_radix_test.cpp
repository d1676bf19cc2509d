#include "kernels/sorts/whole_sort_test.hpp"

#include <algorithm>
#include <numeric>

namespace keyswap::kernels {
namespace {

using gpu_test::expect_chunks_are_sorted;
using gpu_test::expect_host_sort_is_right_for_all_patterns;
using gpu_test::make_keys;
using gpu_test::MemorySink;

constexpr KeyType split_key_types[] = {
    KeyType::u32, KeyType::u64, KeyType::i32, KeyType::i64, KeyType::f32, KeyType::f64};
constexpr std::uint64_t tile_keys = 1664; // 4 warps with 13 keys per thread

struct Schedule {
    int digit_bits = 4;
    std::uint64_t last_digit_bits = 0;
};
constexpr Schedule schedules[] = {{4, 0}, {1, 0}, {5, 0}, {6, 8}, {8, 0}, {12, 3}};

SortOptions split_radix(int digit_bits = 4, std::uint64_t last_digit_bits = 0) {
    SortOptions options;
    options.choice = choose("split-radix", std::nullopt).value();
    options.stability = Stability::stable;
    options.digit_bits = digit_bits;
    options.parameters["last-digit-bits"] = last_digit_bits;
    return options;
}

TEST(SplitRadix, EqualsAStableSortForEveryTypeAndSchedule) {
    KEYSWAP_NEEDS_GPUS(1);
    for (Schedule const& schedule : schedules) {
        SortOptions options = split_radix(schedule.digit_bits, schedule.last_digit_bits);
        for (KeyType const type : split_key_types) {
            options.key_type = type;
            options.direction = type == KeyType::i32 || type == KeyType::f64 ? Direction::descending
                                                                             : Direction::ascending;
            options.value_type = type == KeyType::u32   ? ValueType::none
                                 : type == KeyType::u64 ? ValueType::bits32
                                                        : ValueType::bits64;
            expect_host_sort_is_right_for_all_patterns(
                options, {0, 1, tile_keys - 1, tile_keys, tile_keys + 1, 100'003});
        }
    }
}

TEST(SplitRadix, MovesValuesOfEveryWidthWithKeysOfEveryWidth) {
    KEYSWAP_NEEDS_GPUS(1);
    for (KeyType const type : {KeyType::f32, KeyType::f64}) {
        for (ValueType const values : {ValueType::none, ValueType::bits32, ValueType::bits64}) {
            SortOptions options = split_radix();
            options.key_type = type;
            options.value_type = values;
            expect_host_sort_is_right_for_all_patterns(options, {10'007});
        }
    }
}

TEST(SplitRadix, LeavesChunksInEitherBuffer) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const keys = make_keys<std::uint32_t>(4, 100'003, 3); // a hundred values
    expect_chunks_are_sorted(split_radix(8), keys);            // four steps
    expect_chunks_are_sorted(split_radix(6, 8), keys);         // five
}

TEST(SplitRadix, RecordsTheTableOfEveryStep) {
    KEYSWAP_NEEDS_GPUS(1);
    auto keys = make_keys<std::uint32_t>(0, 10'007, 1);
    std::vector<std::uint32_t> const input = keys;
    auto sorter = Sorter::create(split_radix(6, 8), keys.size(), ChunkBuffers::sorter);
    ASSERT_TRUE(sorter) << sorter.error().message;
    EXPECT_EQ(sorter->describe(keys.size()).version, 2);
    MemorySink sink;
    auto const report = sorter->sort(keys.data(), nullptr, keys.size(), PhaseTiming::on, &sink);
    ASSERT_TRUE(report) << report.error().message;
    auto const functions = sink.all<BucketFunctionRecord>();
    auto const partitions = sink.all<PartitionRecord>();
    ASSERT_EQ(functions.size(), 5U) << "4 digits of 6 bits, and one of 8";
    ASSERT_EQ(partitions.size(), 5U);
    EXPECT_EQ(functions.back().function, (BucketFunction{256, DigitBuckets{24, 8}}));
    EXPECT_EQ(partitions.back().method, "bit-split");
    // Entry (digit, tile) of the first step: keys of lower digits, plus those of this digit in
    // earlier tiles.
    std::uint64_t const tiles = (input.size() + tile_keys - 1) / tile_keys;
    std::vector<std::uint32_t> table(64 * tiles, 0);
    for (std::size_t i = 0; i < input.size(); ++i) {
        ++table[(input[i] & 63U) * tiles + i / tile_keys];
    }
    std::exclusive_scan(table.begin(), table.end(), table.begin(), 0U);
    SequenceDigest scanned;
    for (std::size_t i = 0; i < table.size(); ++i) {
        scanned += digest_at(i, digest_of(table[i]));
    }
    EXPECT_EQ(partitions.front().tile_keys, tile_keys);
    EXPECT_EQ(partitions.front().table, scanned);
    SequenceDigest sorted;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        sorted += digest_at(i, digest_of(keys[i]));
    }
    EXPECT_EQ(partitions.back().output, sorted);
    EXPECT_TRUE(std::ranges::is_sorted(keys));
    auto const phases_of = [&](Phase phase) {
        return std::ranges::count_if(
            report->times, [phase](PhaseTimeRecord const& time) { return time.phase == phase; });
    };
    EXPECT_EQ(phases_of(Phase::histogram), 5) << "counting and its scan, of each step";
    EXPECT_EQ(phases_of(Phase::scatter), 5);
}

TEST(SplitRadix, RefusesWhatItsStepsCannotDo) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const refusal = [](SortOptions const& options, std::uint64_t count) {
        auto const sorter = Sorter::create(options, count, ChunkBuffers::sorter);
        return sorter ? std::string("accepted") : sorter.error().message;
    };
    EXPECT_EQ(refusal(split_radix(12, 12), 10), "accepted");
    EXPECT_EQ(refusal(split_radix(13), 10),
              "a digit has 1 to 12 bits on a GPU (its histogram lies in shared memory), not 13. "
              "The paper uses 8.");
    EXPECT_NE(refusal(split_radix(4, 13), 10).find("--last-digit-bits: 13 is out of range"),
              std::string::npos);
    EXPECT_EQ(refusal(split_radix(), std::uint64_t{1} << 32),
              "split-radix takes at most 4294967295 keys, not 4294967296. Use rmg.");
}

} // namespace
} // namespace keyswap::kernels
