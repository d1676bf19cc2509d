#include "traces/records/digest.hpp"

#include <gtest/gtest.h>

namespace keyswap {
namespace {

// The test vectors of traces/FORMAT.md, computed by an independent implementation.
TEST(MultisetDigest, HasTheTestVectorsOfTheReadme) {
    EXPECT_EQ(digest_of(0U, 0U), (MultisetDigest{1, 0x48218226ff3cd4bfU, 0x592077625864648dU}));
    EXPECT_EQ(digest_of(1U, 0U), (MultisetDigest{1, 0xdce423fc82c0d5b8U, 0x1f1c70f0ad15cd01U}));
    EXPECT_EQ(digest_of(0xffffffffU, 0U),
              (MultisetDigest{1, 0x754ef30790c11988U, 0x790f0b4161433249U}));
    EXPECT_EQ(digest_of(0x8000000000000000U, 0U),
              (MultisetDigest{1, 0x9e6265a28e5c1035U, 0xaf3ef78974b2ba5dU}));
    EXPECT_EQ(digest_of(5U, 7U), (MultisetDigest{1, 0x3ba40446ff1c065aU, 0x2275333c230da971U}));
    MultisetDigest sum;
    for (std::uint64_t const image : {3U, 1U, 3U}) {
        sum += digest_of(image);
    }
    EXPECT_EQ(sum, (MultisetDigest{3, 0x8a66d3451b31032aU, 0x680351536285794fU}));
}

TEST(MultisetDigest, OfPartsAddsUpWhateverTheOrder) {
    MultisetDigest forward;
    MultisetDigest backward;
    for (std::uint64_t i = 0; i < 100; ++i) {
        forward += digest_of(i / 3, i);
        backward += digest_of((99 - i) / 3, 99 - i);
    }
    EXPECT_EQ(forward, backward);
    EXPECT_EQ(forward.count, 100U);
}

TEST(MultisetDigest, ChangesWhenAKeyIsLostDoubledReplacedOrItsValueIsExchanged) {
    auto const of = [](std::initializer_list<std::pair<std::uint64_t, std::uint64_t>> elements) {
        MultisetDigest digest;
        for (auto const& [image, value] : elements) {
            digest += digest_of(image, value);
        }
        return digest;
    };
    auto const whole = of({{1, 10}, {2, 20}, {2, 21}});
    EXPECT_NE(whole, of({{1, 10}, {2, 20}}));
    EXPECT_NE(whole, of({{1, 10}, {2, 20}, {2, 20}}));
    EXPECT_NE(whole, of({{1, 10}, {2, 20}, {3, 21}}));
    EXPECT_NE(whole, of({{1, 20}, {2, 10}, {2, 21}})) << "values exchanged between keys";
    EXPECT_EQ(whole, of({{2, 21}, {1, 10}, {2, 20}}));
}

} // namespace
} // namespace keyswap
