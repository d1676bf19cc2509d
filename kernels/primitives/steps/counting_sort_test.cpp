// Counting sorts of the rest of dense keys, and the samples that decide on them.
#include "kernels/device/gpu_test.hpp"
#include "kernels/primitives/steps/counting_sort.hpp"
#include "kernels/primitives/steps/crowding_sample.hpp"
#include "kernels/primitives/steps/step_example_test.hpp"

#include <algorithm>

namespace keyswap::kernels {
namespace {

using gpu_test::make_keys;
using gpu_test::on_device;
using gpu_test::on_host;
using gpu_test::pattern_count;
using gpu_test::segment_sizes;
using gpu_test::StepExample;
using gpu_test::sum_of;

/// A step by bits 15 to 23 and a counting sort together sort keys with the same highest 8 bits.
void expect_counting_sorts(std::vector<std::uint32_t> keys,
                           std::vector<std::uint64_t> const& sizes) {
    for (std::uint32_t& key : keys) {
        key = (key & 0xffffffU) | 0x5a000000U;
    }
    StepExample<std::uint32_t> example{keys, sizes, unstable_tile_keys({4, 0})};
    DigitStep const step = example.step_by({counting_bits, 24}, wide_step_bits);
    launch_unstable_step(nullptr, {4, 0}, step);
    std::vector<SegmentPart> segments;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        segments.push_back({0, sizes[i], example.begins()[i], static_cast<std::uint32_t>(i)});
    }
    auto const device_segments = on_device(segments);
    DeviceBuffer<std::uint32_t> const out{0, keys.size()};
    CountingSort sort;
    sort.keys_in = static_cast<std::uint32_t const*>(step.keys_out);
    sort.keys_out = out.data();
    sort.segments = device_segments.data();
    sort.segment_count = example.segment_count();
    sort.bins = step.bins;
    launch_counting_sort(nullptr, sort);
    ASSERT_EQ(on_host(out.data(), keys.size()), example.sorted_segments());
}

TEST(CountingSortKernel, SortsWhatAStepOfNineBitsLeaves) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const sizes = segment_sizes(unstable_tile_keys({4, 0}));
    for (int pattern = 0; pattern < pattern_count; ++pattern) {
        expect_counting_sorts(make_keys<std::uint32_t>(pattern, sum_of(sizes), 7), sizes);
    }
}

TEST(CountingSortKernel, SortsStretchesWithMoreKeysThanACounterOf16BitsHolds) {
    KEYSWAP_NEEDS_GPUS(1);
    for (std::uint64_t const count :
         {16'384ULL, 16'385ULL, 65'535ULL, 65'536ULL, 65'537ULL, 1'000'003ULL}) {
        auto keys = make_keys<std::uint32_t>(0, count, 3);
        for (std::uint32_t& key : keys) {
            key &= 0x7fffU; // one stretch
        }
        expect_counting_sorts(keys, {count});
        expect_counting_sorts(std::vector<std::uint32_t>(count, 77), {count});
        expect_counting_sorts(std::vector<std::uint32_t>(count, 0x7fff), {count});
    }
}

TEST(CrowdingSample, FindsStretchesThatHoldMuchOfTheKeys) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const most_of = [](std::vector<std::uint32_t> const& keys) {
        auto const device_keys = on_device(keys);
        DeviceBuffer<std::uint32_t> const most{0, 1};
        launch_crowding_sample(
            nullptr, {4, device_keys.data(), keys.size()}, counting_bits, most.data());
        return on_host(most.data(), 1).front();
    };
    auto keys = make_keys<std::uint32_t>(0, 1'000'000, 3);
    EXPECT_LT(most_of(keys), 12U); // 4,096 samples on 8,192 counters
    for (std::size_t i = 0; i < keys.size(); i += 10) {
        keys[i] = 0x12340000U + static_cast<std::uint32_t>(i % 1000);
    }
    EXPECT_GT(most_of(keys), 300U); // a tenth of the samples
    EXPECT_EQ(most_of(std::vector<std::uint32_t>(1'000'000, 5)), crowding_samples);
    EXPECT_EQ(most_of(std::vector<std::uint32_t>(3, 5)), 3U);
    EXPECT_EQ(most_of({}), 0U);
}

} // namespace
} // namespace keyswap::kernels
