#include "model/distributions/deterministic_math.hpp"
#include "model/distributions/distribution_families.hpp"
#include "model/distributions/value_domain.hpp"
#include "model/distributions/zipf_sum.hpp"
#include "model/keys/key_order.hpp"

#include <algorithm>
#include <concepts>
#include <limits>
#include <vector>

namespace keyswap::model {

namespace {

/// Ranks above the exact ones are grouped, 256 groups per octave, with equal probability inside a
/// group. This shifts the distribution function by less than z ln 2 / (8 x 256) of a group's share.
constexpr std::uint64_t groups_per_octave = 256;

/// Last rank of each group, ascending.
std::vector<std::uint64_t> group_ends(std::uint64_t rank_max) {
    std::vector<std::uint64_t> ends;
    for (std::uint64_t rank = 1; rank <= ZipfSum::exact_ranks; ++rank) {
        ends.push_back(rank);
    }
    std::uint64_t octave = ZipfSum::exact_ranks;
    while (true) {
        std::uint64_t const width = octave / groups_per_octave;
        for (std::uint64_t group = 1; group <= groups_per_octave; ++group) {
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

/// Integral of x^-z from 1 to x.
double mass_from_one(double x, double exponent) {
    double const s = 1 - exponent;
    double const logarithm = deterministic_log(x);
    double const power = s * logarithm;
    if (power <= exponential_power_max) {
        return s == 0 ? logarithm : deterministic_expm1(power) / s;
    }
    // Near the largest double e^power overflows, but half of it does not.
    double const half = deterministic_expm1(power - deterministic_log(2)) + 0.5;
    return std::min(2 * half / s, std::numeric_limits<double>::max());
}

/// Real values from `first` (a power of two) to the largest value, 64 cells per binade.
/// \param mass_up_to unnormalised distribution function of a value, 0 at `first`
template <class Float, class MassUpTo>
QuantileTable table_of_reals(Float first, MassUpTo const& mass_up_to) {
    constexpr int cells_per_binade_log2 = 6;
    constexpr std::uint64_t cell_images =
        std::uint64_t{1} << (std::numeric_limits<Float>::digits - 1 - cells_per_binade_log2);
    std::uint64_t const first_image = image_of(first);
    std::uint64_t const last = image_of(std::numeric_limits<Float>::max());
    double const total = mass_up_to(static_cast<double>(std::numeric_limits<Float>::max()));
    std::vector<QuantileCell> cells;
    uint128 u = 0;
    std::uint64_t const cell_count = (last - first_image) / cell_images + 1;
    for (std::uint64_t cell = 0; cell < cell_count; ++cell) {
        std::uint64_t const image = first_image + cell * cell_images;
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

template <class Float>
QuantileTable zipf_reals(double exponent) {
    return table_of_reals(Float{1}, [=](double value) { return mass_from_one(value, exponent); });
}

/// Distribution of the published generator before its conversion to the key type: x with density
/// x^-z from H(x) = H(1.5) - h(1) on, below 1. Returns the integral up to a value; 0 before it.
class PublishedMass {
  public:
    explicit PublishedMass(double exponent)
        : exponent_(exponent), below_one_(1 - mass_from_one(1.5, exponent)) {}
    double operator()(double value) const {
        return std::max(0.0, below_one_ + mass_from_one(value, exponent_));
    }

  private:
    double exponent_;
    double below_one_; ///< integral from the start to 1
};

/// Integers: x is truncated, and no draw is rejected.
QuantileTable published_integers(KeyType type, double exponent) {
    std::uint64_t const zero = zero_image(type);
    std::uint64_t const value_max = largest_image(type) - zero;
    PublishedMass const mass_up_to(exponent);
    double const total = mass_up_to(static_cast<double>(value_max) + 0.5);
    std::vector<QuantileCell> cells;
    std::uint64_t first = 0;
    uint128 u = 0;
    auto const add_up_to = [&](std::uint64_t value) {
        double const mass = mass_up_to(static_cast<double>(value) + 1);
        uint128 const u_end =
            value == value_max ? two_to_64 : std::max(u, to_fixed_point(mass / total));
        cells.push_back({zero + first, zero + value, u, u_end});
        first = value + 1;
        u = u_end;
    };
    add_up_to(0);
    for (std::uint64_t const value : group_ends(value_max)) {
        add_up_to(value);
    }
    return QuantileTable(cells);
}

/// Single precision: x, a double, is rounded to the nearest key; a key more than 1/2 above its x
/// is rejected. If keys are s >= 1 apart, a fraction of 1/2 + 1/(2 s) of them is accepted.
QuantileTable published_singles(double exponent) {
    constexpr int last_whole_log2 = 24; // keys up to 2^24 are at most 1 apart
    PublishedMass const mass_up_to(exponent);
    struct Binade {
        double begin;
        double accepted;
        double mass; ///< accepted mass below `begin`
    };
    std::vector<Binade> binades{{0x1p24, 0.75, mass_up_to(0x1p24)}};
    for (int log2 = last_whole_log2 + 1; log2 < std::numeric_limits<float>::max_exponent; ++log2) {
        Binade const& before = binades.back();
        double const begin = 2 * before.begin;
        double const more = before.accepted * (mass_up_to(begin) - mass_up_to(before.begin));
        binades.push_back({begin, 0.5 + (before.accepted - 0.5) / 2, before.mass + more});
    }
    return table_of_reals(0.5F, [&](double value) {
        auto const after = std::ranges::upper_bound(binades, value, {}, &Binade::begin);
        if (after == binades.begin()) {
            return mass_up_to(value);
        }
        Binade const& in = *std::prev(after);
        return in.mass + in.accepted * (mass_up_to(value) - mass_up_to(in.begin));
    });
}

/// Double precision: x is the key, so no draw is rejected.
QuantileTable published_doubles(double exponent) {
    return table_of_reals(0.5, PublishedMass(exponent));
}

} // namespace

KeyRecipe zipf_recipe(KeyRequest const& request) {
    double const exponent = *request.parameter;
    return with_key_type(request.key_type, [&]<class T>(T) -> KeyRecipe {
        if constexpr (std::floating_point<T>) {
            return {zipf_reals<T>(exponent), {Segment{}}, 0};
        } else {
            return {table_of_ranks(request.key_type, exponent), {Segment{}}, 0};
        }
    });
}

KeyRecipe published_zipf_recipe(KeyRequest const& request) {
    double const exponent = *request.parameter;
    return with_key_type(request.key_type, [&]<class T>(T) -> KeyRecipe {
        if constexpr (std::same_as<T, float>) {
            return {published_singles(exponent), {Segment{}}, 0};
        } else if constexpr (std::same_as<T, double>) {
            return {published_doubles(exponent), {Segment{}}, 0};
        } else {
            return {published_integers(request.key_type, exponent), {Segment{}}, 0};
        }
    });
}

} // namespace keyswap::model
