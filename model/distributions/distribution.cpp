#include "model/distributions/distribution.hpp"

#include "model/distributions/distribution_families.hpp"
#include "traces/errors/known_names.hpp"

#include <array>
#include <string>

namespace keyswap::model {

namespace {

constexpr std::string_view rmg_paper =
    "Ilic et al., RMG Sort (BTW 2023), section 5, and its published generator";
constexpr std::string_view sample_sort =
    "Leischner, Osipov, Sanders, GPU Sample Sort (2010), section 6; Helman, Bader, JaJa (1998)";
constexpr std::string_view multisplit = "Ashkiani et al., GPU Multisplit (2017), section 6.4";
constexpr std::string_view recorded = "Keyswap: columns of few values as tables hold them";

// `max` in a definition is the key type's largest finite value.
constexpr std::array<Distribution, 24> all_distributions{{
    {"uniform",
     {},
     "Every value in [0, max] equally likely; real values for floats.",
     rmg_paper,
     uniform_recipe,
     LowWord::random},
    {"normal",
     {},
     "Normal with mean max/2 and standard deviation mean/3, absolute value; values above max are "
     "mirrored at max.",
     rmg_paper,
     normal_recipe,
     LowWord::random},
    {"zero", {}, "Every key is 0.", rmg_paper, zero_recipe},
    {"sorted",
     {},
     "Key i of n is the uniform distribution's quantile at i/n: n even steps, ascending.",
     rmg_paper,
     sorted_recipe},
    {"reverse-sorted",
     {},
     "The keys of 'sorted' from the last to the first.",
     rmg_paper,
     reverse_sorted_recipe},
    {"nearly-sorted",
     {"random share", 0.01, 0, 1, false},
     "The keys of 'sorted', with a random share replaced by uniform keys.",
     rmg_paper,
     nearly_sorted_recipe},
    {"skewed",
     {"bit entropy", 16, 0, 64, true},
     "Uniform in [0, 2^b - 1], b up to the key's bits: b = 0 is all zero. For floats the bit "
     "pattern is drawn; with all bits of a signed key or a float every pattern occurs.",
     rmg_paper,
     skewed_recipe},
    {"skewed-published",
     {"bit entropy", 16, 0, 64, true},
     "What the published generator draws: a real value in [0, 2^b - 1), truncated, so that 2^b - 2 "
     "is the largest key; b = 0 is all zero, b = 1 draws 0 and 1. For floats the bit pattern is "
     "drawn.",
     rmg_paper,
     published_skewed_recipe},
    {"zipf",
     {"exponent", 1, 0, 16, false},
     "Value r has probability proportional to r^-z, r = 1 .. max; for floats the density x^-z on "
     "[1, max].",
     rmg_paper,
     zipf_recipe},
    {"zipf-published",
     {"exponent", 1, 0, 16, false},
     "What the published generator draws by rejection-inversion: x of density x^-z from 1 - "
     "integral(1, 1.5) on, truncated for integers; f32 keys more than 1/2 above x are rejected.",
     rmg_paper,
     published_zipf_recipe},
    {"gaussian",
     {},
     "The average of four uniform values in [0, max].",
     sample_sort,
     gaussian_recipe,
     LowWord::random},
    {"bucket-sorted",
     {"blocks", 240, 1, 1024, true},
     "p blocks of p runs; run j of each block is uniform in part j of p of [0, max/2).",
     sample_sort,
     bucket_sorted_recipe,
     LowWord::random},
    {"staggered",
     {"blocks", 240, 2, 65536, true},
     "p blocks; block i < p/2 is uniform in part 2i+1 of p of [0, max/2), later ones in part "
     "2(i - p/2).",
     sample_sort,
     staggered_recipe,
     LowWord::random},
    {"g-group",
     {"group size", 4, 1, 240, true},
     "240 blocks of g runs; run t of block i is uniform in part (i - i mod g + 120 + t) mod 240 of "
     "240 of [0, max/2).",
     sample_sort,
     g_group_recipe,
     LowWord::random},
    {"deterministic-duplicates",
     {},
     "The first half of the keys is floor(log2 n), half of the rest one less, and so on to 0.",
     sample_sort,
     deterministic_duplicates_recipe},
    {"randomized-duplicates",
     {"range", 32, 1, 1024, true},
     "240 blocks of R runs with random lengths in proportion to 1 .. R, each of one random value "
     "in [0, R).",
     sample_sort,
     randomized_duplicates_recipe},
    {"binomial",
     {"buckets", 256, 2, 4096, true},
     "Bucket k of m of equal width over [0, max] has probability C(m-1, k) / 2^(m-1); uniform "
     "inside a bucket.",
     multisplit,
     binomial_recipe,
     LowWord::random},
    {"alpha-uniform",
     {"alpha", 0.25, 0, 1, false},
     "With probability alpha uniform in [0, max], else uniform in one of 256 parts, which the "
     "seed chooses.",
     multisplit,
     alpha_uniform_recipe,
     LowWord::random},
    {"identity",
     {"values", 256, 1, 1'073'741'824, true},
     "Whole numbers 0 .. m-1, equally likely: each is its own bucket. For floats the bit pattern "
     "is drawn.",
     multisplit,
     identity_recipe},
    {"below",
     {"end", 1024, 1, 1'073'741'824, false},
     "Uniform in [0, x); real values for floats.",
     multisplit,
     below_recipe},
    {"whole-numbers",
     {"largest", 100, 1, 65536, true},
     "Whole numbers 1 .. k, equally likely.",
     recorded,
     whole_numbers_recipe},
    {"shifted-codes",
     {"codes", 256, 1, 32768, true},
     "Codes 0 .. k-1 times 2^16, equally likely.",
     recorded,
     shifted_codes_recipe},
    {"prices",
     {"price points", 200, 1, 65536, true},
     "Prices i - 0.01 for i = 1 .. k with probability proportional to 1/i; cents for integers.",
     recorded,
     prices_recipe,
     LowWord::random},
    {"dates",
     {"years", 7, 1, 100, true},
     "Calendar days from 2000-01-01 on as the number yyyymmdd, equally likely.",
     recorded,
     dates_recipe,
     LowWord::random},
}};

} // namespace

std::span<Distribution const> distributions() {
    return all_distributions;
}

Expected<Distribution const*> find_distribution(std::string_view name) {
    return find_named(all_distributions, &Distribution::name, name, "distribution");
}

} // namespace keyswap::model
