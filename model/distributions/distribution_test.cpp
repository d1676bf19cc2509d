#include "model/distributions/distribution.hpp"

#include "model/distributions/key_generator.hpp"
#include "model/distributions/value_domain.hpp"
#include "model/distributions/zipf_sum.hpp"
#include "model/keys/key_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace keyswap::model {
namespace {

constexpr std::uint64_t sample_size = 1 << 17;

KeyGenerator generator_of(std::string const& name,
                          std::optional<double> parameter,
                          KeyType type,
                          std::uint64_t count = sample_size) {
    auto generator = KeyGenerator::make({name, parameter, type, count, 42});
    EXPECT_TRUE(generator.has_value());
    return std::move(generator).value();
}

/// Keys converted to double.
std::vector<double> values_of(KeyGenerator const& generator) {
    std::vector<std::uint64_t> images(generator.key_count());
    generator.images(0, images);
    std::vector<double> values;
    values.reserve(images.size());
    for (std::uint64_t const image : images) {
        values.push_back(with_key_type(generator.request().key_type, [&]<class T>(T) {
            return static_cast<double>(key_of<T>(static_cast<ImageOf<T>>(image)));
        }));
    }
    return values;
}

double largest(KeyType type) {
    return with_key_type(
        type, []<class T>(T) { return static_cast<double>(std::numeric_limits<T>::max()); });
}

/// Kolmogorov-Smirnov distance of a sample to a distribution function, times sqrt(n). It exceeds
/// 2.2 with a probability of 2 exp(-2 x 2.2^2) = 1.3e-4; seeds are fixed.
double smirnov_distance(std::vector<double> values, std::function<double(double)> const& cdf) {
    std::ranges::sort(values);
    double distance = 0;
    auto const n = static_cast<double>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        double const expected = cdf(values[i]);
        distance = std::max({distance,
                             expected - static_cast<double>(i) / n,
                             static_cast<double>(i + 1) / n - expected});
    }
    return distance * std::sqrt(n);
}
constexpr double smirnov_bound = 2.2;

double normal_cdf_of_libm(double x) {
    return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

TEST(Distribution, UniformFitsForEveryKeyType) {
    for (KeyType const type : narrow_key_types) {
        double const max = largest(type);
        auto const values = values_of(generator_of("uniform", {}, type));
        EXPECT_LT(smirnov_distance(values, [=](double x) { return x / max; }), smirnov_bound)
            << to_string(type);
    }
}

TEST(Distribution, NormalFitsItsFoldedBellForEveryKeyType) {
    for (KeyType const type : narrow_key_types) {
        double const max = largest(type);
        auto const values = values_of(generator_of("normal", {}, type));
        EXPECT_LT(smirnov_distance(values,
                                   [=](double x) {
                                       double const t = x / max;
                                       return normal_cdf_of_libm(6 * t - 3) -
                                              normal_cdf_of_libm(-6 * t - 3) +
                                              normal_cdf_of_libm(6 * t - 9);
                                   }),
                  smirnov_bound)
            << to_string(type);
    }
}

TEST(Distribution, TheTestOfFitSeesADistributionThatIsOffByOnePercent) {
    auto const values = values_of(generator_of("uniform", {}, KeyType::f64));
    double const max = largest(KeyType::f64);
    EXPECT_GT(smirnov_distance(values, [=](double x) { return std::pow(x / max, 1.03); }),
              smirnov_bound);
}

TEST(Distribution, GaussianIsTheAverageOfFour) {
    for (KeyType const type : narrow_key_types) {
        // The average, computed from another random stream.
        CounterGenerator const generator(99);
        std::vector<double> averages;
        for (std::uint64_t i = 0; i < sample_size; ++i) {
            double sum = 0;
            for (std::uint64_t j = 0; j < 4; ++j) {
                sum += static_cast<double>(generator.word64(4 * i + j)) / 0x1p64;
            }
            averages.push_back(sum / 4);
        }
        std::ranges::sort(averages);
        double const max = largest(type);
        auto const empirical = [&](double x) {
            auto const below = std::ranges::upper_bound(averages, x / max) - averages.begin();
            return static_cast<double>(below) / double{sample_size};
        };
        // Between two samples the distance grows by sqrt(2).
        EXPECT_LT(smirnov_distance(values_of(generator_of("gaussian", {}, type)), empirical),
                  smirnov_bound * std::sqrt(2.0));
    }
}

TEST(Distribution, ZipfOverFloatsHasDensityXToTheMinusZ) {
    for (KeyType const type : {KeyType::f32, KeyType::f64}) {
        double const log_max = std::log(largest(type));
        EXPECT_LT(smirnov_distance(values_of(generator_of("zipf", 1.0, type)),
                                   [=](double x) { return std::log(x) / log_max; }),
                  smirnov_bound);
        EXPECT_LT(smirnov_distance(values_of(generator_of("zipf", 2.0, type)),
                                   [](double x) { return 1 - 1 / x; }),
                  smirnov_bound);
    }
}

/// With an exponent near 0, values up to the largest are almost uniform; a double's sum overflows.
TEST(Distribution, ZipfOverFloatsOfNoExponentIsUniform) {
    for (KeyType const type : {KeyType::f32, KeyType::f64}) {
        for (double const exponent : {0.0, 1e-9, 3e-6}) {
            double const max = largest(type);
            for (char const* const name : {"zipf", "zipf-published"}) {
                bool const rejects = type == KeyType::f32 && std::string(name) != "zipf";
                auto const values = values_of(generator_of(name, exponent, type));
                EXPECT_LT(smirnov_distance(values, [=](double x) { return x / max; }),
                          smirnov_bound + (rejects ? 0.01 : 0.0))
                    << name << ' ' << exponent;
            }
        }
    }
}

TEST(Distribution, ZipfSharesOfRanksAreThoseOfTheDefinition) {
    // Digest of the RMG paper: 32.9 % and 97.58 % of the keys are among the 1000 first ranks.
    for (auto const& [z, share] : {std::pair{1.0, 0.329}, std::pair{1.5, 0.9758}}) {
        auto const generator = generator_of("zipf", z, KeyType::u32);
        auto const below = generator.recipe().table.fractions_below(1001);
        EXPECT_NEAR(static_cast<double>(below) / 0x1p64, share, 5e-4);
    }
    // Distant ranks are grouped; the distribution function still matches the sum.
    auto const generator = generator_of("zipf", 1.0, KeyType::u64);
    ZipfSum const sum(1);
    for (std::uint64_t rank = 3; rank < (1ULL << 62); rank = rank * 5 / 3 + 1) {
        double const expected = sum.up_to(rank) / sum.up_to(~std::uint64_t{0});
        EXPECT_NEAR(static_cast<double>(generator.recipe().table.fractions_up_to(rank)) / 0x1p64,
                    expected,
                    1e-7)
            << rank;
    }
}

/// The published generator, key by key: rejection-inversion (Hormann and Derflinger, 1996), but
/// without the method's rounding of x to integers.
template <class Key>
std::vector<double> published_zipf_values(double z) {
    auto const integral = [z](double x) {
        return z == 1 ? std::log(x) : std::pow(x, 1 - z) / (1 - z);
    };
    auto const inverse = [z](double u) {
        return z == 1 ? std::exp(u) : std::pow(u * (1 - z), 1 / (1 - z));
    };
    auto const density = [z](double x) { return std::pow(x, -z); };
    double const first = integral(1.5) - 1;
    double const last = integral(static_cast<double>(std::numeric_limits<Key>::max()) + 0.5);
    std::mt19937_64 random(5);
    std::vector<double> values;
    while (values.size() < sample_size) {
        double const u = first + (last - first) * static_cast<double>(random() >> 11) * 0x1p-53;
        auto const key = static_cast<Key>(inverse(u));
        auto const k = static_cast<double>(key);
        if (k == 0 || u >= integral(k + 0.5) - density(k)) {
            values.push_back(k);
        }
    }
    std::ranges::sort(values);
    return values;
}

/// Compares the table's distribution function at powers of two with the generator's.
template <class Key>
void expect_published_zipf(KeyType type, double z) {
    auto const generator = generator_of("zipf-published", z, type);
    auto const values = published_zipf_values<Key>(z);
    int const log2_max =
        std::numeric_limits<Key>::is_integer ? std::numeric_limits<Key>::digits : 127;
    for (int log2 = 0; log2 < log2_max; ++log2) {
        double const edge = std::ldexp(1.0, log2);
        auto const below = std::ranges::lower_bound(values, edge) - values.begin();
        auto const fractions =
            generator.recipe().table.fractions_below(image_of(static_cast<Key>(edge)));
        EXPECT_NEAR(static_cast<double>(fractions) / 0x1p64,
                    static_cast<double>(below) / double{sample_size},
                    smirnov_bound / std::sqrt(double{sample_size}))
            << to_string(type) << " exponent " << z << " below 2^" << log2;
    }
}

TEST(Distribution, PublishedZipfIsWhatItsGeneratorDraws) {
    for (double const z : {0.5, 1.0, 2.0, 3.0}) {
        expect_published_zipf<std::uint32_t>(KeyType::u32, z);
        expect_published_zipf<std::uint64_t>(KeyType::u64, z);
        expect_published_zipf<float>(KeyType::f32, z);
        expect_published_zipf<double>(KeyType::f64, z);
    }
    // Exponent 3: H(1.5) - h(1) = -2/9 - 1, so 13/18 of 22/18 are below 1, and become 0.
    auto const generator = generator_of("zipf-published", 3.0, KeyType::u32);
    EXPECT_NEAR(static_cast<double>(generator.recipe().table.fractions_below(1)) / 0x1p64,
                13.0 / 22.0,
                1e-9);
}

TEST(Distribution, PublishedZipfRejectsHalfOfTheSinglesThatAreNotWhole) {
    // With exponent 1 all octaves are equally likely, but above 2^24 keys are rejected: 1/4 in the
    // first octave, in which keys are 2 apart, and half far above.
    auto const table = generator_of("zipf-published", 1.0, KeyType::f32).recipe().table;
    auto const octave = [&table](float begin) {
        return static_cast<double>(table.fractions_below(image_of(2 * begin)) -
                                   table.fractions_below(image_of(begin)));
    };
    EXPECT_NEAR(octave(0x1p24F) / octave(0x1p23F), 0.75, 1e-6);
    EXPECT_NEAR(octave(0x1p100F) / octave(0x1p23F), 0.5, 1e-6);
}

TEST(Distribution, PublishedSkewedNeverReachesItsEndButOfOneBit) {
    for (KeyType const type : narrow_key_types) {
        for (int const bits : {0, 1, 2, 4, 8}) {
            auto const generator = generator_of("skewed-published", bits, type);
            std::vector<std::uint64_t> images(sample_size);
            generator.images(0, images);
            std::set<std::uint64_t> const values(images.begin(), images.end());
            EXPECT_EQ(values.size(), bits == 1 ? 2 : std::max(1ULL, (1ULL << bits) - 1));
            EXPECT_EQ(*values.begin(), zero_image(type));
        }
    }
    EXPECT_FALSE(KeyGenerator::make({"skewed-published", 33, KeyType::u32, 10, 1}).has_value());
    EXPECT_TRUE(KeyGenerator::make({"skewed-published", 64, KeyType::i64, 10, 1}).has_value());
}

TEST(Distribution, SkewedHasAsManyBitsAsItSays) {
    for (KeyType const type : narrow_key_types) {
        std::uint64_t const zero = zero_image(type);
        for (int const bits : {0, 1, 4, 8, 16, 24}) {
            auto const generator = generator_of("skewed", bits, type);
            std::vector<std::uint64_t> images(sample_size);
            generator.images(0, images);
            auto const [low, high] = std::ranges::minmax(images);
            EXPECT_GE(low, zero);
            EXPECT_LT(high, zero + (1ULL << bits));
            if (bits <= 8) {
                EXPECT_EQ(std::set(images.begin(), images.end()).size(), 1ULL << bits);
            }
        }
    }
}

TEST(Distribution, SkewedToAllBitsIsUniformOverEveryImage) {
    auto const generator = generator_of("skewed", 32, KeyType::u32);
    EXPECT_EQ(generator.recipe().table.fractions_below(1U << 31), two_to_64 / 2);
    EXPECT_FALSE(KeyGenerator::make({"skewed", 33, KeyType::u32, 10, 1}).has_value());
    EXPECT_TRUE(KeyGenerator::make({"skewed", 64, KeyType::u64, 10, 1}).has_value());
}

TEST(Distribution, SortedAscendsAndReverseSortedIsItsReverse) {
    for (KeyType const type : narrow_key_types) {
        auto const ascending = generator_of("sorted", {}, type);
        auto const descending = generator_of("reverse-sorted", {}, type);
        std::vector<std::uint64_t> up(sample_size);
        std::vector<std::uint64_t> down(sample_size);
        ascending.images(0, up);
        descending.images(0, down);
        EXPECT_TRUE(std::ranges::is_sorted(up));
        EXPECT_LT(up.front(), up.back());
        std::ranges::reverse(down);
        EXPECT_EQ(up, down);
    }
}

TEST(Distribution, NearlySortedKeepsAllButItsShareInPlace) {
    std::vector<std::uint64_t> sorted(sample_size);
    std::vector<std::uint64_t> nearly(sample_size);
    generator_of("sorted", {}, KeyType::u32).images(0, sorted);
    generator_of("nearly-sorted", 0.01, KeyType::u32).images(0, nearly);
    std::uint64_t moved = 0;
    for (std::size_t i = 0; i < sample_size; ++i) {
        moved += sorted[i] != nearly[i] ? 1 : 0;
    }
    // 1 % of 131,072 is 1311, with a standard deviation of 36.
    EXPECT_NEAR(static_cast<double>(moved), 1311, 6 * 36);
}

TEST(Distribution, DeterministicDuplicatesHalveAndCountDown) {
    std::vector<std::uint64_t> images(16);
    generator_of("deterministic-duplicates", {}, KeyType::u32, 16).images(0, images);
    EXPECT_EQ(images, (std::vector<std::uint64_t>{4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 2, 2, 1, 0}));
}

TEST(Distribution, StaggeredBlocksLieInTheirSlots) {
    // 4 blocks in slots 1, 3, 0, 2 of [0, 2^31).
    std::vector<std::uint64_t> images(4000);
    generator_of("staggered", 4, KeyType::u32, 4000).images(0, images);
    std::array<std::uint64_t, 4> const slots{1, 3, 0, 2};
    for (std::size_t i = 0; i < images.size(); ++i) {
        ASSERT_EQ(images[i] >> 29, slots[i / 1000]) << i;
    }
}

TEST(Distribution, BucketSortedBlocksHoldEverySlotInOrder) {
    std::vector<std::uint64_t> images(1600);
    generator_of("bucket-sorted", 4, KeyType::u32, 1600).images(0, images);
    for (std::size_t i = 0; i < images.size(); ++i) {
        ASSERT_EQ(images[i] >> 29, i / 100 % 4) << i;
    }
}

TEST(Distribution, BinomialHasItsMeanAndVariance) {
    auto const values = values_of(generator_of("binomial", 256, KeyType::u32));
    double sum = 0;
    double squares = 0;
    for (double const value : values) {
        double const bucket = std::floor(value / 0x1p24);
        sum += bucket;
        squares += bucket * bucket;
    }
    double const mean = sum / double{sample_size};
    double const variance = squares / double{sample_size} - mean * mean;
    // Mean 255/2 and variance 255/4; their standard errors are 0.022 and 0.25.
    EXPECT_NEAR(mean, 127.5, 6 * 0.022);
    EXPECT_NEAR(variance, 63.75, 6 * 0.25);
}

TEST(Distribution, AlphaUniformPutsAllButAlphaIntoOneBucket) {
    std::map<std::uint64_t, double> share;
    std::vector<std::uint64_t> images(sample_size);
    generator_of("alpha-uniform", 0.25, KeyType::u32).images(0, images);
    for (std::uint64_t const image : images) {
        share[image >> 24] += 1 / double{sample_size};
    }
    auto const most = std::ranges::max_element(share, {}, [](auto const& e) { return e.second; });
    EXPECT_NEAR(most->second, 0.75 + 0.25 / 256, 0.008);
}

TEST(Distribution, FewValuesAreThoseOfTheDefinition) {
    auto const distinct = [](KeyGenerator const& generator) {
        auto const values = values_of(generator);
        return std::set<double>(values.begin(), values.end());
    };
    EXPECT_EQ(distinct(generator_of("whole-numbers", 3, KeyType::f32)),
              (std::set<double>{1, 2, 3}));
    EXPECT_EQ(distinct(generator_of("shifted-codes", 3, KeyType::u32)),
              (std::set<double>{0, 65536, 131072}));
    EXPECT_EQ(distinct(generator_of("prices", 2, KeyType::f64)), (std::set<double>{0.99, 1.99}));
    EXPECT_EQ(distinct(generator_of("prices", 2, KeyType::i32)), (std::set<double>{99, 199}));
    auto const dates = distinct(generator_of("dates", 1, KeyType::u32));
    EXPECT_EQ(dates.size(), 366U); // 2000 was a leap year
    EXPECT_EQ(*dates.begin(), 20000101);
    EXPECT_EQ(*dates.rbegin(), 20001231);
}

TEST(Distribution, IdentityKeysAreTheNumbersBelowM) {
    for (KeyType const type : {KeyType::u32, KeyType::i64}) {
        auto const values = values_of(generator_of("identity", 7, type));
        std::map<double, double> share;
        for (double const value : values) {
            share[value] += 1 / double{sample_size};
        }
        ASSERT_EQ(share.size(), 7U);
        EXPECT_EQ(share.begin()->first, 0);
        EXPECT_EQ(share.rbegin()->first, 6);
        for (auto const& [value, found] : share) {
            EXPECT_NEAR(found, 1.0 / 7, 0.01) << value; // six standard errors
        }
    }
}

TEST(Distribution, BelowFillsItsRangeEvenly) {
    for (KeyType const type : {KeyType::f32, KeyType::f64, KeyType::u32}) {
        auto const values = values_of(generator_of("below", 1000, type));
        double sum = 0;
        for (double const value : values) {
            ASSERT_GE(value, 0);
            ASSERT_LT(value, 1000);
            sum += value;
        }
        // Standard deviation 289, divided by the square root of the sample size.
        double const error = 289 / std::sqrt(double{sample_size});
        EXPECT_NEAR(sum / double{sample_size}, 500, 6 * error + 0.5);
    }
    auto const reals = values_of(generator_of("below", 1.5, KeyType::f32));
    EXPECT_TRUE(std::ranges::any_of(reals, [](double value) { return value > 1.4; }));
    EXPECT_TRUE(std::ranges::any_of(reals, [](double value) { return value < 0.1; }));
}

TEST(Distribution, WrongRequestsAreRefusedWithARemedy) {
    auto const unknown = KeyGenerator::make({"zpif", {}, KeyType::u32, 10, 1});
    ASSERT_FALSE(unknown.has_value());
    EXPECT_NE(unknown.error().remedy.find("zipf"), std::string::npos);
    EXPECT_FALSE(KeyGenerator::make({"zipf", -1.0, KeyType::u32, 10, 1}).has_value());
    EXPECT_FALSE(KeyGenerator::make({"zipf", std::nan(""), KeyType::u32, 10, 1}).has_value());
    EXPECT_FALSE(KeyGenerator::make({"skewed", 1.5, KeyType::u32, 10, 1}).has_value());
    EXPECT_FALSE(KeyGenerator::make({"uniform", 3.0, KeyType::u32, 10, 1}).has_value());
    EXPECT_FALSE(
        KeyGenerator::make({"uniform", {}, KeyType::u32, (1ULL << 63) + 1, 1}).has_value());
}

TEST(Distribution, KeysOf128BitsHaveTheUpperHalvesOfAU64AndLowerOnesAsDefined) {
    for (Distribution const& distribution : distributions()) {
        SCOPED_TRACE(distribution.name);
        std::string const name(distribution.name);
        for (auto const& [type, upper_type] : {std::pair{KeyType::u128, KeyType::u64},
                                               std::pair{KeyType::i128, KeyType::i64},
                                               std::pair{KeyType::b128, KeyType::u64}}) {
            std::vector<std::uint64_t> upper(10'001);
            generator_of(name, {}, upper_type, upper.size()).images(0, upper);
            std::vector<uint128> images(upper.size());
            auto const generator = generator_of(name, {}, type, images.size());
            generator.images(0, images);
            CounterGenerator const lower(42, 2);
            bool const random = distribution.low_word == LowWord::random;
            for (std::uint64_t i = 0; i < images.size(); ++i) {
                KeyImage const expected{upper[i], random ? lower.word64(i) : 0};
                ASSERT_EQ(key_image(images[i]), expected) << i;
            }
            EXPECT_EQ(key_image(generator.image(7'777)), key_image(images[7'777]));
        }
    }
}

TEST(Distribution, FractionsBelowAWideKeyGrowWithItsLowerHalfWhereThatIsRandom) {
    auto const random = generator_of("uniform", {}, KeyType::u128);
    uint128 const one = uint128{1} << 64;
    EXPECT_EQ(random.fractions_below(5 * one), 5U);
    EXPECT_EQ(random.fractions_below(5 * one + 1), 5U);
    EXPECT_EQ(random.fractions_below(6 * one), 6U);
    auto const prices = generator_of("prices", 1, KeyType::u128); // a single value, 99
    EXPECT_EQ(prices.fractions_below(99 * one), 0U);
    EXPECT_EQ(prices.fractions_below(99 * one + one / 2), two_to_64 / 2);
    EXPECT_EQ(prices.fractions_below(100 * one), two_to_64);
    auto const identity = generator_of("identity", 2, KeyType::u128);
    EXPECT_EQ(identity.fractions_below(one), two_to_64 / 2);
    EXPECT_EQ(identity.fractions_below(one + 1), two_to_64) << "the lower half is 0";
}

TEST(Distribution, AnyPartOfTheKeysEqualsThemOneByOne) {
    for (Distribution const& distribution : distributions()) {
        auto const generator =
            generator_of(std::string(distribution.name), {}, KeyType::u32, 70001);
        std::vector<std::uint64_t> all(70001);
        generator.images(0, all);
        std::vector<std::uint32_t> part(5003);
        generator.images(64995, std::span(part).first(5003));
        EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 64995)) << distribution.name;
        for (std::uint64_t i = 0; i < all.size(); i += 997) {
            ASSERT_TRUE(generator.image(i) == all[i]) << distribution.name;
        }
    }
}

} // namespace
} // namespace keyswap::model
