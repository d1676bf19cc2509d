#include "traces/records/sequence_digest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace keyswap {
namespace {

SequenceDigest of(std::vector<MultisetDigest> const& elements, std::uint64_t first = 0) {
    SequenceDigest digest;
    for (MultisetDigest const& element : elements) {
        digest += digest_at(first++, element);
    }
    return digest;
}

// The test vectors of FORMAT.md, computed by an independent implementation.
TEST(SequenceDigest, HasTheTestVectorsOfTheReadme) {
    using Digest = SequenceDigest;
    EXPECT_EQ(of({digest_of(0)}), (Digest{1, 0x33fe8bd4f9c57863U, 0x5b89d82abd0b91d5U}));
    EXPECT_EQ(of({digest_of(0)}, 1), (Digest{1, 0x568a9b0b1a2c05ecU, 0xf169d9afae90d1b9U}));
    EXPECT_EQ(of({digest_of(3), digest_of(1), digest_of(3)}),
              (Digest{3, 0x216669f809225f0bU, 0x4400ccab5dea5bd8U}));
    EXPECT_EQ(of({digest_of(1), digest_of(3), digest_of(3)}),
              (Digest{3, 0xa0fac15ace8ea21aU, 0xe86beeb2fed184a9U}));
    EXPECT_EQ(of({digest_of(5, 7)}, std::uint64_t{1} << 40),
              (Digest{1, 0x9c9b7b78fdeba738U, 0x7c63eca99a9bf090U}));
    EXPECT_EQ(of({digest_of_wide({1, 0})}), (Digest{1, 0xb7ec3261a1cf431fU, 0x89b564d86bb88021U}));
    EXPECT_EQ(of({digest_of_wide({0, 1})}), (Digest{1, 0x214f1422717c39bfU, 0xfaebf03a8112e5ccU}));
    EXPECT_EQ(of({digest_of_wide({~std::uint64_t{0}, 2}, 9)}, 3),
              (Digest{1, 0xcc1558f081dd5513U, 0x1360a77554a58b36U}));
}

TEST(SequenceDigest, OfPartsAddsUpToThatOfTheWhole) {
    std::vector<MultisetDigest> elements;
    for (std::uint64_t i = 0; i < 100; ++i) {
        elements.push_back(digest_of(i / 3, i));
    }
    SequenceDigest sum = of({elements.begin() + 40, elements.end()}, 40);
    sum += of({elements.begin(), elements.begin() + 40});
    EXPECT_EQ(sum, of(elements));
}

TEST(SequenceDigest, ChangesWhenTwoElementsAreExchangedOrOneIsShifted) {
    auto const whole = of({digest_of(1), digest_of(2), digest_of(2, 1)});
    EXPECT_NE(whole, of({digest_of(2), digest_of(1), digest_of(2, 1)}));
    EXPECT_NE(whole, of({digest_of(1), digest_of(2, 1), digest_of(2)}));
    EXPECT_NE(whole, of({digest_of(1), digest_of(2), digest_of(2, 1)}, 1));
}

} // namespace
} // namespace keyswap
