#include "model/distributions/zipf_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace keyswap::model {
namespace {

TEST(ZipfSum, EqualsTheSumTermByTerm) {
    for (double const z : {0.0, 0.5, 0.999999, 1.0, 1.000001, 1.5, 2.0, 3.0, 16.0}) {
        ZipfSum const sum(z);
        long double expected = 0;
        std::uint64_t rank = 0;
        for (std::uint64_t const end :
             {1ULL, 2ULL, 1023ULL, 1024ULL, 1025ULL, 5000ULL, 200003ULL}) {
            while (rank < end) {
                expected +=
                    std::pow(static_cast<long double>(++rank), static_cast<long double>(-z));
            }
            EXPECT_NEAR(sum.up_to(end) / static_cast<double>(expected), 1, 1e-13)
                << z << " " << end;
        }
    }
}

TEST(ZipfSum, ReachesTheZetaFunctionAndTheHarmonicNumbers) {
    // zeta(2) = pi^2 / 6.
    EXPECT_NEAR(ZipfSum(2).up_to(~std::uint64_t{0}), M_PI * M_PI / 6, 1e-13);
    // H(n) = ln n + gamma + 1/(2n) - 1/(12 n^2) ...; the last term is 5e-21 here.
    double const ranks = 4294967295.0;
    double const harmonic = std::log(ranks) + 0.57721566490153286 + 0.5 / ranks;
    EXPECT_NEAR(ZipfSum(1).up_to(4294967295ULL), harmonic, 22 * 1e-13);
}

TEST(ZipfSum, GrowsByTheNextTermWhereTheFormulaTakesOver) {
    for (double const z : {0.5, 1.0, 2.0}) {
        ZipfSum const sum(z);
        for (std::uint64_t const rank : {ZipfSum::exact_ranks, ZipfSum::exact_ranks + 1}) {
            double const step = sum.up_to(rank + 1) - sum.up_to(rank);
            double const term = std::pow(static_cast<double>(rank + 1), -z);
            EXPECT_NEAR(step, term, 1e-13 * sum.up_to(rank)) << z << " " << rank;
        }
    }
}

} // namespace
} // namespace keyswap::model
