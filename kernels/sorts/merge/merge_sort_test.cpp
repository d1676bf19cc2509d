#include "kernels/device/device_copies_test.hpp"
#include "kernels/primitives/merge/merge_kernels.hpp"
#include "kernels/sorts/whole_sort_test.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::kernels {
namespace {

using gpu_test::devices;
using gpu_test::expect_host_sort_is_right_for_all_patterns;
using gpu_test::make_keys;
using gpu_test::on_device;
using gpu_test::on_host;
using gpu_test::pattern_names;

constexpr KeyType key_types[] = {
    KeyType::u32, KeyType::u64, KeyType::i32, KeyType::i64, KeyType::f32, KeyType::f64};

TEST(MergeKernel, EqualsAStableMergeOfPairsAtAllSizes) {
    KEYSWAP_NEEDS_GPUS(1);
    ElementShape const shape{8, 4};
    for (std::size_t const first : {0U, 1U, 4'095U, 4'096U, 100'003U}) {
        for (std::size_t const second : {0U, 1U, 4'097U, 77'777U}) {
            std::vector<std::uint64_t> keys = make_keys<std::uint64_t>(4, first + second, first);
            auto const border = keys.begin() + static_cast<std::ptrdiff_t>(first);
            std::sort(keys.begin(), border);
            std::sort(border, keys.end());
            std::vector<std::uint32_t> values(keys.size());
            std::iota(values.begin(), values.end(), 0U);
            std::vector<std::uint32_t> order = values;
            std::stable_sort(
                order.begin(), order.end(), [&keys](auto a, auto b) { return keys[a] < keys[b]; });
            auto const keys_in = on_device(keys);
            auto const values_in = on_device(values);
            DeviceBuffer<std::uint64_t> const keys_out{0, keys.size()};
            DeviceBuffer<std::uint32_t> const values_out{0, keys.size()};
            std::size_t const temp_bytes = merge_temp_bytes(shape, keys.size());
            DeviceBuffer<std::byte> const temp{0, temp_bytes};
            MergeRuns const runs{{keys_in.data(), keys_in.data() + first},
                                 {values_in.data(), values_in.data() + first},
                                 {first, second},
                                 keys_out.data(),
                                 values_out.data()};
            launch_merge(nullptr, shape, runs, temp.data(), temp_bytes);
            KEYSWAP_CUDA(cudaDeviceSynchronize());
            EXPECT_EQ(on_host(values_out.data(), values_out.size()), order)
                << first << " and " << second;
            std::sort(keys.begin(), keys.end());
            EXPECT_EQ(on_host(keys_out.data(), keys_out.size()), keys)
                << first << " and " << second;
        }
    }
}

TEST(SwapCountKernel, EqualsALinearSearchAcrossChunks) {
    KEYSWAP_NEEDS_GPUS(1);
    constexpr std::uint64_t chunk_size = 1'000;
    for (std::uint64_t const left_count : {0U, 1U, 999U, 2'000U, 2'345U}) {
        for (std::uint64_t const right_count : {0U, 3U, 1'000U, 2'999U}) {
            for (int const pattern : {0, 1, 4}) {
                auto left = make_keys<std::uint32_t>(pattern, left_count, 1);
                auto right = make_keys<std::uint32_t>(pattern, right_count, 2);
                std::sort(left.begin(), left.end());
                std::sort(right.begin(), right.end());
                std::uint64_t expected = 0;
                while (expected < std::min(left_count, right_count) &&
                       left[left_count - expected - 1] > right[expected]) {
                    ++expected;
                }
                auto const left_keys = on_device(left);
                auto const right_keys = on_device(right);
                auto const chunked = [](DeviceBuffer<std::uint32_t> const& keys) {
                    ChunkedRun run;
                    run.chunk_size = chunk_size;
                    run.count = keys.size();
                    for (std::size_t i = 0; i * chunk_size < keys.size(); ++i) {
                        run.chunk[i] = keys.data() + i * chunk_size;
                    }
                    return run;
                };
                DeviceBuffer<std::uint64_t> const result{0, 1};
                launch_swap_count(
                    nullptr, 4, chunked(left_keys), chunked(right_keys), result.data());
                KEYSWAP_CUDA(cudaDeviceSynchronize());
                EXPECT_EQ(on_host(result.data(), result.size()).front(), expected)
                    << left_count << ", " << right_count << ", " << pattern_names[pattern];
            }
        }
    }
}

class MergeSort : public ::testing::TestWithParam<std::string_view> {};

TEST_P(MergeSort, EqualsStdSortForAllTypesAndPatternsOnOneToEightGpus) {
    KEYSWAP_NEEDS_GPUS(1);
    for (KeyType const type : key_types) {
        for (int const gpus : {1, 2, 3, 4, 5, 8}) {
            SortOptions options;
            options.choice = choose(GetParam(), std::nullopt).value();
            options.key_type = type;
            options.direction = gpus == 3 ? Direction::descending : Direction::ascending;
            options.devices = devices(gpus);
            expect_host_sort_is_right_for_all_patterns(options, {30'011});
        }
    }
}

TEST_P(MergeSort, SortsAnyNumberOfKeysFromNoneOn) {
    KEYSWAP_NEEDS_GPUS(1);
    SortOptions options;
    options.choice = choose(GetParam(), std::nullopt).value();
    options.devices = std::vector<int>(13, 0);
    expect_host_sort_is_right_for_all_patterns(options, {0, 1, 2, 5, 12, 13, 14, 99, 100'003});
}

TEST_P(MergeSort, KeepsEveryValueWithItsKey) {
    KEYSWAP_NEEDS_GPUS(1);
    SortOptions options;
    options.choice = choose(GetParam(), std::nullopt).value();
    options.value_type = ValueType::bits32;
    options.devices = devices(4);
    expect_host_sort_is_right_for_all_patterns(options, {40'009});
}

INSTANTIATE_TEST_SUITE_P(AllMergeSorts,
                         MergeSort,
                         ::testing::Values("p2p-merge", "het-merge"),
                         [](auto const& each) {
                             return std::string{each.param == "p2p-merge" ? "P2p" : "Het"};
                         });

TEST(MergeSortErrors, AreReturnedForWhatTheAlgorithmsCannotDo) {
    KEYSWAP_NEEDS_GPUS(1);
    SortOptions options;
    options.choice = choose("het-merge", std::nullopt).value();
    auto const resident = Sorter::create(options, 100, ChunkBuffers::caller);
    ASSERT_FALSE(resident.has_value());
    EXPECT_EQ(resident.error().code, SortErrorCode::invalid_option);
    options.choice = choose("p2p-merge", std::nullopt).value();
    options.stability = Stability::stable;
    auto const stable = Sorter::create(options, 100, ChunkBuffers::sorter);
    ASSERT_FALSE(stable.has_value());
    EXPECT_EQ(stable.error().code, SortErrorCode::invalid_option);
}

} // namespace
} // namespace keyswap::kernels
