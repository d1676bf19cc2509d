#include "model/buckets/bucket_slots.hpp"

#include "model/distributions/counter_generator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace keyswap::model {
namespace {

TEST(BucketSlots, TheFirstPassCountsEveryKeyByItsTopDigit) {
    DigitLayout const layout(32, 8);
    std::array<BucketPrefix, 1> const whole{};
    BucketSlots const slots(layout, whole);
    ASSERT_EQ(slots.size(), 256U);
    std::vector<std::uint64_t> counters(256, 0);
    std::array<std::uint32_t, 4> const images{0, 0x00ffffff, 0x01000000, 0xffffffff};
    slots.count(std::span<std::uint32_t const>(images), counters);
    EXPECT_EQ(counters[0], 2U);
    EXPECT_EQ(counters[1], 1U);
    EXPECT_EQ(counters[255], 1U);
}

TEST(BucketSlots, DistinguishesBucketsOfEqualLastDigit) {
    DigitLayout const layout(32, 8);
    std::array<BucketPrefix, 2> const buckets{{{2, 0x0105}, {2, 0x0205}}};
    BucketSlots const slots(layout, buckets);
    std::vector<std::uint64_t> counters(slots.size(), 0);
    std::array<std::uint32_t, 4> const images{0x01050300, 0x02050300, 0x02050400, 0x03050300};
    slots.count(std::span<std::uint32_t const>(images), counters);
    EXPECT_EQ(counters[3], 1U);
    EXPECT_EQ(counters[256 + 3], 1U);
    EXPECT_EQ(counters[256 + 4], 1U);
    std::uint64_t sum = 0;
    for (std::uint64_t const count : counters) {
        sum += count;
    }
    EXPECT_EQ(sum, 3U); // the key of bucket 0x0305 is skipped
}

TEST(BucketSlots, ManyBucketsOf64BitKeysEqualAPlainCount) {
    DigitLayout const layout(64, 11); // the last digit has 9 bits
    CounterGenerator const generator(8);
    for (int const pass : {1, 3, 5}) {
        std::vector<BucketPrefix> buckets;
        for (std::uint64_t prefix = 0; prefix < 500; ++prefix) {
            buckets.push_back({pass, 3 * prefix});
        }
        BucketSlots const slots(layout, buckets);
        std::uint32_t const digits = layout.digit_count(pass + 1);
        std::vector<std::uint64_t> images;
        std::vector<std::uint64_t> expected(slots.size(), 0);
        for (std::uint64_t i = 0; i < 20'000; ++i) {
            std::uint64_t const low = generator.word64(i) >> (11 * pass);
            std::uint64_t const prefix = i % 2000;
            images.push_back(prefix << layout.bits_below(pass) | low);
            if (prefix % 3 == 0 && prefix / 3 < 500) {
                ++expected[prefix / 3 * digits + layout.digit(images.back(), pass + 1)];
            }
        }
        std::vector<std::uint64_t> counters(slots.size(), 0);
        slots.count(std::span<std::uint64_t const>(images), counters);
        EXPECT_EQ(counters, expected) << pass;
    }
}

TEST(BucketSlotsDeathTest, ABucketNamedTwiceIsRefused) {
    std::array<BucketPrefix, 2> const buckets{{{1, 5}, {1, 5}}};
    EXPECT_DEATH(BucketSlots(DigitLayout(32, 8), buckets), "precondition");
}

} // namespace
} // namespace keyswap::model
