#include "model/distributions/deterministic_math.hpp"
#include "model/distributions/distribution_families.hpp"
#include "model/distributions/value_domain.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace keyswap::model {

namespace {

/// Bins of a curved density, each taken as flat, which shifts the distribution function
/// by less than max|f'| / (8 x 4096^2): 2e-8 for both curves below.
constexpr std::size_t bins_of_a_curve = 4096;

KeyRecipe independent_keys(QuantileTable table) {
    return {std::move(table), {Segment{}}, 0};
}

/// Equally likely consecutive images.
KeyRecipe even_images(std::uint64_t first, std::uint64_t last) {
    std::array<QuantileCell, 1> const cell{{{first, last, 0, two_to_64}}};
    return independent_keys(QuantileTable(cell));
}

/// \param cdf distribution function of value / max, 0 at 0 and 1 at 1
template <class Cdf>
KeyRecipe keys_of_curve(KeyType type, Cdf cdf) {
    std::vector<uint128> edges;
    for (std::size_t i = 0; i <= bins_of_a_curve; ++i) {
        uint128 const u = to_fixed_point(cdf(static_cast<double>(i) / double{bins_of_a_curve}));
        edges.push_back(edges.empty() ? u : std::max(u, edges.back()));
    }
    edges.front() = 0;
    edges.back() = two_to_64;
    return independent_keys(table_of_bins(type, edges));
}

/// Sum of four uniform variates on [0, 1) (Irwin-Hall), t <= 2.
double lower_irwin_hall_4(double t) {
    double const beyond_one = t > 1 ? t - 1 : 0;
    return (t * t * t * t - 4 * beyond_one * beyond_one * beyond_one * beyond_one) / 24;
}

} // namespace

KeyRecipe uniform_recipe(KeyRequest const& request) {
    return independent_keys(uniform_table(request.key_type));
}

KeyRecipe normal_recipe(KeyRequest const& request) {
    // In units of max: mean 1/2, sd 1/6, so max is 3 sd above the mean. Values below 0 are
    // reflected at 0 (absolute value), values above max at max (the published generator converts
    // the latter out of the type's range).
    double const outside = normal_cdf(-3);
    return keys_of_curve(request.key_type, [=](double x) {
        double const plain = normal_cdf(6 * x - 3);
        double const folded_up = outside - normal_cdf(-6 * x - 3);
        double const folded_down = normal_cdf(6 * x - 9);
        return plain - outside + folded_up + folded_down;
    });
}

KeyRecipe gaussian_recipe(KeyRequest const& request) {
    return keys_of_curve(request.key_type, [](double x) {
        return x <= 0.5 ? lower_irwin_hall_4(4 * x) : 1 - lower_irwin_hall_4(4 - 4 * x);
    });
}

KeyRecipe zero_recipe(KeyRequest const& request) {
    std::array<WeightedImage, 1> const zero{{{zero_image(request.key_type), 1}}};
    return independent_keys(table_of_points(zero));
}

KeyRecipe skewed_recipe(KeyRequest const& request) {
    int const bits = static_cast<int>(*request.parameter);
    int const all_bits = key_bits(request.key_type);
    KEYSWAP_EXPECTS(bits >= 0 && bits <= all_bits);
    std::uint64_t const last = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    std::uint64_t const first = bits == all_bits ? 0 : zero_image(request.key_type);
    return even_images(first, first + last);
}

KeyRecipe published_skewed_recipe(KeyRequest const& request) {
    int const bits = static_cast<int>(*request.parameter);
    KEYSWAP_EXPECTS(bits >= 0 && bits <= key_bits(request.key_type));
    // The published end is 2^bits - 1, exclusive; for a single bit, 2 is used instead.
    std::uint64_t const end = bits == 64  ? ~std::uint64_t{0}
                              : bits == 1 ? 2
                                          : (std::uint64_t{1} << bits) - 1;
    std::uint64_t const first = zero_image(request.key_type);
    std::uint64_t const all = largest_image(request.key_type) - first;
    return even_images(first, first + std::min(all, std::max<std::uint64_t>(end, 1) - 1));
}

} // namespace keyswap::model
