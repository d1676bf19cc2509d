/// \file Table columns with few distinct values. Their images share long prefixes or end in zeros,
/// which breaks sorts that identify a bucket by its last digit alone.

#include "model/distributions/distribution_families.hpp"
#include "model/distributions/value_domain.hpp"
#include "model/keys/key_order.hpp"

#include <bit>
#include <concepts>
#include <limits>
#include <vector>

namespace keyswap::model {

namespace {

KeyRecipe keys_of_points(std::vector<WeightedImage> const& points) {
    return {table_of_points(points), {Segment{}}, 0};
}

/// Hundredths: integer cents for integers, the nearest float for floats.
std::uint64_t image_of_hundredths(KeyType type, std::uint64_t hundredths) {
    return with_key_type(type, [&]<class T>(T) -> std::uint64_t {
        if constexpr (std::floating_point<T>) {
            return image_of(static_cast<T>(static_cast<double>(hundredths) / 100));
        } else {
            return image_of_whole(type, hundredths);
        }
    });
}

bool is_leap_year(std::uint64_t year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

std::uint64_t days_of_month(std::uint64_t year, std::uint64_t month) {
    if (month == 2) {
        return is_leap_year(year) ? 29 : 28;
    }
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

} // namespace

KeyRecipe whole_numbers_recipe(KeyRequest const& request) {
    std::vector<WeightedImage> points;
    for (std::uint64_t value = 1; value <= static_cast<std::uint64_t>(*request.parameter);
         ++value) {
        points.push_back({image_of_whole(request.key_type, value), 1});
    }
    return keys_of_points(points);
}

KeyRecipe shifted_codes_recipe(KeyRequest const& request) {
    std::vector<WeightedImage> points;
    for (std::uint64_t code = 0; code < static_cast<std::uint64_t>(*request.parameter); ++code) {
        points.push_back({image_of_whole(request.key_type, code << 16), 1});
    }
    return keys_of_points(points);
}

KeyRecipe prices_recipe(KeyRequest const& request) {
    // Expensive articles are rare: price point i has weight 1 / i.
    std::vector<WeightedImage> points;
    for (std::uint64_t i = 1; i <= static_cast<std::uint64_t>(*request.parameter); ++i) {
        points.push_back(
            {image_of_hundredths(request.key_type, 100 * i - 1), 1 / static_cast<double>(i)});
    }
    return keys_of_points(points);
}

KeyRecipe dates_recipe(KeyRequest const& request) {
    std::vector<WeightedImage> points;
    std::uint64_t const last_year = 1999 + static_cast<std::uint64_t>(*request.parameter);
    for (std::uint64_t year = 2000; year <= last_year; ++year) {
        for (std::uint64_t month = 1; month <= 12; ++month) {
            for (std::uint64_t day = 1; day <= days_of_month(year, month); ++day) {
                points.push_back(
                    {image_of_whole(request.key_type, year * 10000 + month * 100 + day), 1});
            }
        }
    }
    return keys_of_points(points);
}

} // namespace keyswap::model
