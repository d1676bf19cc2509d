#include "kernels/sorts/whole_sort_test.hpp"

#include <algorithm>

namespace keyswap::kernels {
namespace {

using gpu_test::expect_chunks_are_sorted;
using gpu_test::expect_host_sort_is_right_for_all_patterns;
using gpu_test::make_keys;
using gpu_test::MemorySink;

constexpr KeyType run_key_types[] = {
    KeyType::u32, KeyType::u64, KeyType::i32, KeyType::i64, KeyType::f32, KeyType::f64};

SortOptions network_merge(std::uint64_t run_keys) {
    SortOptions options;
    options.choice = choose("network-merge", std::nullopt).value();
    options.parameters["run-keys"] = run_keys;
    return options;
}

TEST(NetworkMerge, SortsKeysOfEveryTypeInRunsOfEverySize) {
    KEYSWAP_NEEDS_GPUS(1);
    for (std::uint64_t const run_keys : {2U, 3U, 256U, 300U, 4095U, 4096U}) {
        SortOptions options = network_merge(run_keys);
        for (KeyType const type : run_key_types) {
            options.key_type = type;
            options.direction = type == KeyType::i32 || type == KeyType::f64 ? Direction::descending
                                                                             : Direction::ascending;
            options.value_type = type == KeyType::u32   ? ValueType::none
                                 : type == KeyType::u64 ? ValueType::bits32
                                                        : ValueType::bits64;
            expect_host_sort_is_right_for_all_patterns(
                options,
                {0, 1, 2, run_keys - 1, run_keys, run_keys + 1, 3 * run_keys, 4'097, 50'021});
        }
    }
}

TEST(NetworkMerge, MovesValuesOfEveryWidthWithKeysOfEveryWidth) {
    KEYSWAP_NEEDS_GPUS(1);
    for (KeyType const type : {KeyType::f32, KeyType::f64}) {
        for (ValueType const values : {ValueType::none, ValueType::bits32, ValueType::bits64}) {
            SortOptions options = network_merge(256);
            options.key_type = type;
            options.value_type = values;
            expect_host_sort_is_right_for_all_patterns(options, {10'007, 300'007});
        }
    }
}

TEST(NetworkMerge, KeepsTheOrderOfEqualKeysThoughItPromisesNone) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const keys = make_keys<std::uint32_t>(4, 100'003, 3);      // a hundred values
    for (std::uint64_t const run_keys : {2U, 300U, 2048U, 4096U}) { // odd and even pass counts
        expect_chunks_are_sorted(network_merge(run_keys), keys);
    }
}

TEST(NetworkMerge, RecordsRunsAndTheMergesOfEachPass) {
    KEYSWAP_NEEDS_GPUS(1);
    auto keys = make_keys<std::uint32_t>(0, 23, 1);
    auto sorter = Sorter::create(network_merge(4), keys.size(), ChunkBuffers::sorter);
    ASSERT_TRUE(sorter) << sorter.error().message;
    EXPECT_EQ(sorter->describe(keys.size()).version, 2);
    MemorySink sink;
    ASSERT_TRUE(sorter->sort(keys.data(), nullptr, keys.size(), PhaseTiming::off, &sink));
    GpuId const gpu{0};
    auto const runs = sink.all<SortRangeRecord>();
    ASSERT_EQ(runs.size(), 6U);
    EXPECT_EQ(runs.back(), (SortRangeRecord{gpu, 20, 3, 0, 32}));
    EXPECT_EQ(sink.all<MergeRecord>(),
              (std::vector<MergeRecord>{{0, gpu, 0, {4, 4}},
                                        {0, gpu, 8, {4, 4}},
                                        {0, gpu, 16, {4, 3}},
                                        {1, gpu, 0, {8, 8}},
                                        {2, gpu, 0, {16, 7}}}));
    EXPECT_EQ(sink.all<OwnershipRecord>(), (std::vector<OwnershipRecord>{{gpu, 0, 23}}));
    EXPECT_TRUE(std::ranges::is_sorted(keys));
}

TEST(NetworkMerge, RefusesRunsThatNoBlockSorts) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const refusal = [](SortOptions const& options, std::uint64_t count) {
        auto const sorter = Sorter::create(options, count, ChunkBuffers::sorter);
        return sorter ? std::string("accepted") : sorter.error().message;
    };
    EXPECT_NE(refusal(network_merge(4097), 10).find("--run-keys: 4097 is out of range"),
              std::string::npos);
    EXPECT_NE(refusal(network_merge(256), std::uint64_t{1} << 33).find("takes at most 8589934588"),
              std::string::npos);
    SortOptions stable = network_merge(256);
    stable.stability = Stability::stable;
    EXPECT_NE(refusal(stable, 10).find("is not stable"), std::string::npos);
}

} // namespace
} // namespace keyswap::kernels
