/// \file Keys defined by their distribution over m equally wide buckets of the domain, and the keys
/// of the paper's identity buckets and histograms.
/// Source: Ashkiani, Davidson, Meyer, Owens: GPU Multisplit (2017), sections 6.4 and 7.3.

#include "model/distributions/counter_generator.hpp"
#include "model/distributions/distribution_families.hpp"
#include "model/distributions/value_domain.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace keyswap::model {

namespace {

constexpr std::uint32_t chosen_bucket_stream = 18;

KeyRecipe keys_of_buckets(KeyType type, std::vector<double> const& weights) {
    double total = 0;
    for (double const weight : weights) {
        total += weight;
    }
    std::vector<uint128> edges{0};
    double sum = 0;
    for (double const weight : weights) {
        sum += weight;
        edges.push_back(std::max(edges.back(), to_fixed_point(sum / total)));
    }
    edges.back() = two_to_64;
    return {table_of_bins(type, edges), {Segment{}}, 0};
}

} // namespace

KeyRecipe binomial_recipe(KeyRequest const& request) {
    auto const buckets = static_cast<std::size_t>(*request.parameter);
    // From the middle outwards, so that only the far tails underflow:
    // w(k+1) / w(k) = (m-1-k) / (k+1).
    std::vector<double> weights(buckets, 0.0);
    std::size_t const middle = (buckets - 1) / 2;
    weights[middle] = 1;
    for (std::size_t k = middle; k + 1 < buckets; ++k) {
        weights[k + 1] =
            weights[k] * static_cast<double>(buckets - 1 - k) / static_cast<double>(k + 1);
    }
    for (std::size_t k = middle; k > 0; --k) {
        weights[k - 1] = weights[k] * static_cast<double>(k) / static_cast<double>(buckets - k);
    }
    return keys_of_buckets(request.key_type, weights);
}

KeyRecipe alpha_uniform_recipe(KeyRequest const& request) {
    constexpr std::uint64_t buckets = 256;
    CounterGenerator const generator(request.seed, chosen_bucket_stream);
    std::uint64_t const chosen = (generator.word32(0) * buckets) >> 32;
    std::vector<double> weights(buckets, *request.parameter / static_cast<double>(buckets));
    weights[chosen] += 1 - *request.parameter;
    return keys_of_buckets(request.key_type, weights);
}

KeyRecipe identity_recipe(KeyRequest const& request) {
    auto const last = static_cast<std::uint64_t>(*request.parameter) - 1;
    std::uint64_t const zero = zero_image(request.key_type);
    std::array<QuantileCell, 1> const cell{{{zero, zero + last, 0, two_to_64}}};
    return {QuantileTable(cell), {Segment{}}, 0};
}

KeyRecipe below_recipe(KeyRequest const& request) {
    return {table_below(request.key_type, *request.parameter), {Segment{}}, 0};
}

} // namespace keyswap::model
