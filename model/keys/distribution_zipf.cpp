#include "model/keys/deterministic_math.hpp"
#include "model/keys/distribution_families.hpp"
#include "model/keys/key_order.hpp"
#include "model/keys/value_domain.hpp"
#include "model/keys/zipf_sum.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace keyswap::model {

namespace {

/// Ranks above the exact ones are grouped, 256 groups an octave; inside a group they are equally
/// likely. This moves the distribution function by less than z ln 2 / (8 x 256) of a group's share.
constexpr std::uint64_t groups_an_octave = 256;

/// Last ranks of the groups, ascending.
std::vector<std::uint64_t> group_ends(std::uint64_t rank_max) {
    std::vector<std::uint64_t> ends;
    for (std::uint64_t rank = 1; rank <= ZipfSum::exact_ranks; ++rank) {
        ends.push_back(rank);
    }
    std::uint64_t octave = ZipfSum::exact_ranks;
    while (true) {
        std::uint64_t const width = octave / groups_an_octave;
        for (std::uint64_t group = 1; group <= groups_an_octave; ++group) {
            std::uint64_t const gap = rank_max - ends.back();
            if (gap <= width) {
                ends.push_back(rank_max);
                return ends;
            }
            ends.push_back(octave + group * width);
        }
        octave *= 2;
    }
}

QuantileTable table_of_ranks(KeyType type, double exponent) {
    std::uint64_t const zero = zero_image(type);
    std::uint64_t const rank_max = largest_image(type) - zero;
    ZipfSum const sum(exponent);
    double const total = sum.up_to(rank_max);
    std::vector<QuantileCell> cells;
    std::uint64_t previous = 0;
    uint128 u = 0;
    for (std::uint64_t const end : group_ends(rank_max)) {
        uint128 const u_end =
            end == rank_max ? two_to_64 : std::max(u, to_fixed_point(sum.up_to(end) / total));
        cells.push_back({zero + previous + 1, zero + end, u, u_end});
        previous = end;
        u = u_end;
    }
    return QuantileTable(cells);
}

/// Real values on [1, max] with density x^-z, 64 cells a binade.
template <class Float>
QuantileTable table_of_reals(double exponent) {
    constexpr int cells_a_binade_log2 = 6;
    constexpr std::uint64_t cell_images =
        std::uint64_t{1} << (std::numeric_limits<Float>::digits - 1 - cells_a_binade_log2);
    double const s = 1 - exponent;
    auto const mass_up_to = [s](double x) {
        double const logarithm = deterministic_log(x);
        return s == 0 ? logarithm : deterministic_expm1(s * logarithm) / s;
    };
    std::uint64_t const first = image_of(Float{1});
    std::uint64_t const last = image_of(std::numeric_limits<Float>::max());
    double const total = mass_up_to(static_cast<double>(std::numeric_limits<Float>::max()));
    std::vector<QuantileCell> cells;
    uint128 u = 0;
    std::uint64_t const cell_count = (last - first) / cell_images + 1;
    for (std::uint64_t cell = 0; cell < cell_count; ++cell) {
        std::uint64_t const image = first + cell * cell_images;
        std::uint64_t const end = image + cell_images;
        uint128 u_end = two_to_64;
        if (end <= last) {
            double const value =
                static_cast<double>(key_of<Float>(static_cast<ImageOf<Float>>(end)));
            u_end = std::max(u, to_fixed_point(mass_up_to(value) / total));
        }
        cells.push_back({image, std::min(end - 1, last), u, u_end});
        u = u_end;
    }
    return QuantileTable(cells);
}

} // namespace

KeyRecipe zipf_recipe(RecipeRequest const& request) {
    double const exponent = request.parameter;
    if (request.key_type == KeyType::f32) {
        return {table_of_reals<float>(exponent), {Segment{}}, 0};
    }
    if (request.key_type == KeyType::f64) {
        return {table_of_reals<double>(exponent), {Segment{}}, 0};
    }
    return {table_of_ranks(request.key_type, exponent), {Segment{}}, 0};
}

} // namespace keyswap::model
