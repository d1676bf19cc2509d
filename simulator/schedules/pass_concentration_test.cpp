#include "simulator/schedules/pass_concentration.hpp"

#include "model/distributions/closed_form_source.hpp"
#include "model/testing/plain_source.hpp"
#include "traces/records/digest.hpp"

#include <gtest/gtest.h>

namespace keyswap::simulator {
namespace {

std::vector<double> concentrations_of(char const* distribution,
                                      double parameter,
                                      std::uint64_t key_count = std::uint64_t{1} << 28) {
    auto generator =
        model::KeyGenerator::make({distribution, parameter, KeyType::u32, key_count, 1});
    EXPECT_TRUE(generator);
    model::ClosedFormSource keys(std::move(*generator));
    return pass_concentrations(keys, 32, 8);
}

TEST(PassConcentration, OfUniformDigitsIsOneInTheirNumber) {
    for (double const pass : concentrations_of("uniform", 0.0)) {
        EXPECT_NEAR(pass, 1.0 / 256.0, 0.002);
    }
}

TEST(PassConcentration, FollowsTheOrderByLowerDigits) {
    // 1,024 values: the second digit is one of four among keys that share the first one.
    std::vector<double> const few = concentrations_of("below", 1024.0);
    ASSERT_EQ(few.size(), 4U);
    EXPECT_NEAR(few[0], 1.0 / 256.0, 0.002);
    EXPECT_NEAR(few[1], 0.25, 0.03);
    EXPECT_EQ(few[2], 1.0);
    EXPECT_EQ(few[3], 1.0);
    // 256 values that the third digit distinguishes
    std::vector<double> const codes = concentrations_of("shifted-codes", 256.0);
    EXPECT_EQ(codes[0], 1.0);
    EXPECT_NEAR(codes[2], 1.0 / 256.0, 0.002);
}

TEST(PassConcentration, OfADigitThatTheLowerOneDeterminesIsOne) {
    std::vector<std::uint64_t> images(1U << 16U);
    for (std::size_t i = 0; i < images.size(); ++i) {
        images[i] = mix_bits(i) % 16 * 257; // both digits are the same
    }
    model::PlainSource keys{images};
    std::vector<double> const passes = pass_concentrations(keys, 16, 8);
    EXPECT_NEAR(passes[0], 1.0 / 16.0, 0.01);
    EXPECT_GT(passes[1], 0.9);
}

TEST(PassConcentration, IsThatOfABlockNotOfAllKeys) {
    // Runs of 35,000 equal keys on average: most blocks have a single one.
    EXPECT_GT(concentrations_of("randomized-duplicates", 32.0)[0], 0.8);
}

TEST(PassConcentration, IsNotAskedOfFewKeys) {
    EXPECT_EQ(concentrations_of("zero", 0.0, 65'535), std::vector<double>(4, 0.0));
    EXPECT_EQ(concentrations_of("zero", 0.0, 65'536), std::vector<double>(4, 1.0));
}

} // namespace
} // namespace keyswap::simulator
