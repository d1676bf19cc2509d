#include "kernels/device/device_buffer.hpp"
#include "kernels/device/gpu_test.hpp"
#include "kernels/sort.hpp"

namespace keyswap::kernels {
namespace {

using gpu_test::make_keys;

TEST(SortErrors, RefusesOptionsThatCannotBeSorted) {
    SortOptions options;
    options.devices = {};
    EXPECT_EQ(Sorter::create(options, 1, ChunkBuffers::sorter).error().code,
              SortErrorCode::invalid_option);
    options.devices = std::vector<int>(65, 0);
    EXPECT_EQ(Sorter::create(options, 1, ChunkBuffers::sorter).error().code,
              SortErrorCode::invalid_option);
    options.devices = {0};
    options.digit_bits = 13;
    EXPECT_EQ(Sorter::create(options, 1, ChunkBuffers::sorter).error().code,
              SortErrorCode::invalid_option);
    options.digit_bits = 8;
    options.key_type = KeyType::f64;
    options.zero_order = ZeroOrder::equal;
    EXPECT_EQ(Sorter::create(options, 1, ChunkBuffers::sorter).error().code,
              SortErrorCode::invalid_option);
}

TEST(SortErrors, NamesTheSortsThatTakeKeysOf128Bits) {
    for (std::string_view const name : gpu_sorts()) {
        SortOptions options;
        options.choice = choose(name, std::nullopt).value();
        options.key_type = KeyType::u128;
        options.devices = {device_count()}; // checked after the key type
        auto const sorter = Sorter::create(options, 1, ChunkBuffers::sorter);
        bool const is_wide = runs_on_gpus(*options.choice.algorithm, KeyType::u128);
        EXPECT_EQ(sorter.error().code,
                  is_wide ? SortErrorCode::no_such_device : SortErrorCode::invalid_option)
            << name;
        EXPECT_EQ(sorter.error().message.find("Use sample-sort.") != std::string::npos, !is_wide)
            << sorter.error().message;
    }
}

TEST(SortErrors, NamesADeviceThatDoesNotExist) {
    SortOptions options;
    options.devices = {device_count()};
    auto const sorter = Sorter::create(options, 1, ChunkBuffers::sorter);
    ASSERT_FALSE(sorter.has_value());
    EXPECT_EQ(sorter.error().code, SortErrorCode::no_such_device);
}

TEST(SortErrors, SaysHowManyKeysWouldFit) {
    KEYSWAP_NEEDS_GPUS(1);
    SortOptions options;
    options.devices = {0, 0};
    std::uint64_t const too_many = std::uint64_t{1} << 40;
    auto const sorter = Sorter::create(options, too_many, ChunkBuffers::sorter);
    ASSERT_FALSE(sorter.has_value());
    EXPECT_EQ(sorter.error().code, SortErrorCode::out_of_device_memory);
    EXPECT_EQ(sorter.error().input, InputState::intact);
    EXPECT_NE(sorter.error().message.find("keys fit"), std::string::npos) << sorter.error().message;
}

TEST(SortErrors, RefusesMoreKeysThanTheSorterWasMadeFor) {
    KEYSWAP_NEEDS_GPUS(1);
    auto sorter = Sorter::create(SortOptions{}, 10, ChunkBuffers::sorter);
    ASSERT_TRUE(sorter.has_value());
    std::vector<std::uint32_t> keys(11, 0);
    EXPECT_EQ(sorter->sort(keys.data(), nullptr, 11).error().code, SortErrorCode::invalid_option);
}

TEST(SortErrors, CreationThatFailsAtAnyCallLeavesNoMemoryBehind) {
    KEYSWAP_NEEDS_GPUS(1);
    SortOptions options;
    options.devices = {0, 0, 0};
    options.value_type = ValueType::bits64;
    std::int64_t const before = device_bytes_held;
    bool failed = true;
    std::uint64_t call = 0;
    for (; failed; ++call) {
        fault_injection::fail_call(call);
        auto const sorter = Sorter::create(options, 100'000, ChunkBuffers::sorter);
        failed = fault_injection::stop();
        EXPECT_EQ(sorter.has_value(), !failed) << "call " << call;
        EXPECT_EQ(device_bytes_held > before, sorter.has_value()) << "call " << call;
        ASSERT_LT(call, 10'000U);
    }
    EXPECT_GT(call, 20U);
    EXPECT_EQ(device_bytes_held, before);
}

class FailingSort : public ::testing::TestWithParam<std::string_view> {};

TEST_P(FailingSort, AtAnyCallReportsTheStateOfTheInputAndLeavesTheSorterUsable) {
    KEYSWAP_NEEDS_GPUS(1);
    SortOptions options;
    options.key_type = KeyType::i32;
    options.devices = {0, 0, 0};
    options.choice = parse_full_name(GetParam()).value();
    options.fuse_ppm = 300'000;      // few ranges, hence few calls to fail
    options.tolerance_ppm = 100'000; // one pass places every bucket, so `fast` does not fall back
    auto sorter = Sorter::create(options, 20'000, ChunkBuffers::sorter);
    ASSERT_TRUE(sorter.has_value());
    auto const input = make_keys<std::uint32_t>(0, 20'000, 1);
    auto expected = input;
    std::sort(expected.begin(), expected.end(), [](std::uint32_t a, std::uint32_t b) {
        return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
    });
    bool failed = true;
    std::uint64_t lost = 0;
    std::uint64_t call = 0;
    for (; failed; ++call) {
        auto keys = input;
        fault_injection::fail_call(call);
        auto const report = sorter->sort(keys.data(), nullptr, keys.size());
        failed = fault_injection::stop();
        ASSERT_EQ(report.has_value(), !failed) << "call " << call;
        if (failed) {
            EXPECT_EQ(report.error().code, SortErrorCode::device_failure);
            if (report.error().input == InputState::intact) {
                ASSERT_EQ(keys, input) << "call " << call;
            } else {
                ++lost;
            }
        }
        auto again = input;
        ASSERT_TRUE(sorter->sort(again.data(), nullptr, again.size()).has_value());
        ASSERT_EQ(again, expected) << "after call " << call;
        ASSERT_LT(call, 10'000U);
    }
    EXPECT_GT(call, 30U);
    EXPECT_GT(lost, 0U);         // the download has begun
    EXPECT_GT(call - lost, 20U); // all calls before it leave the input intact
}

INSTANTIATE_TEST_SUITE_P(AllWays,
                         FailingSort,
                         ::testing::Values("rmg-paper",
                                           "rmg-rotated",
                                           "rmg-fast",
                                           "p2p-merge",
                                           "het-merge",
                                           "sample-sort-fast",
                                           "sample-sort-paper"),
                         [](auto const& each) {
                             std::string name{each.param};
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

} // namespace
} // namespace keyswap::kernels
