#include "model/distributions/value_domain.hpp"

#include "model/keys/key_order.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace keyswap::model {

namespace {

/// Number of top binades of a float's domain that uniform keys reach: all lower binades together
/// have a probability below 2^-70, less than one fraction.
constexpr int binades_max = 70;

std::uint64_t image_of_double(KeyType type, double value) {
    return with_key_type(type, [&]<class T>(T) -> std::uint64_t {
        return static_cast<std::uint64_t>(image_of(static_cast<T>(value)));
    });
}

double value_of_image(KeyType type, std::uint64_t image) {
    return with_key_type(type, [&]<class T>(T) -> double {
        return static_cast<double>(key_of<T>(static_cast<ImageOf<T>>(image)));
    });
}

/// Floats: the largest double not above the type's largest value.
double largest_value(KeyType type) {
    return value_of_image(type, largest_image(type));
}

void append_integer_bins(KeyType type,
                         std::span<uint128 const> u_edges,
                         double share,
                         std::vector<QuantileCell>& cells) {
    uint128 const domain =
        uint128{largest_image(type) - zero_image(type)} + 1; // 2^32, 2^31, 2^64 or 2^63
    uint128 const covered = domain / static_cast<std::uint64_t>(1 / share);
    std::size_t const bins = u_edges.size() - 1;
    for (std::size_t bin = 0; bin < bins; ++bin) {
        // Edges at floor(bin x covered / bins), in two steps since covered may be 2^64.
        auto const edge = [&](std::size_t index) {
            return covered / bins * index + covered % bins * index / bins;
        };
        cells.push_back({zero_image(type) + static_cast<std::uint64_t>(edge(bin)),
                         zero_image(type) + static_cast<std::uint64_t>(edge(bin + 1) - 1),
                         u_edges[bin],
                         u_edges[bin + 1]});
    }
}

/// One bin of a float, cut at the powers of two inside it.
void append_float_bin(KeyType type,
                      double low,
                      double high,
                      uint128 u_low,
                      uint128 u_high,
                      std::vector<QuantileCell>& cells) {
    std::vector<double> knots{high};
    double power = 1;
    while (power < high / 2) {
        power *= 2;
    }
    while (power >= high) {
        power /= 2;
    }
    for (int i = 0; i < binades_max && power > low; ++i, power /= 2) {
        knots.push_back(power);
    }
    knots.push_back(low);
    std::ranges::reverse(knots);
    auto const width = static_cast<double>(u_high - u_low);
    uint128 u = u_low;
    for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
        bool const last = i + 2 == knots.size();
        double const share = (knots[i + 1] - low) / (high - low);
        uint128 const u_next =
            last ? u_high : std::clamp(u_low + static_cast<uint128>(share * width), u, u_high);
        std::uint64_t const image_end = image_of_double(type, knots[i + 1]);
        std::uint64_t const image_last =
            image_end == largest_image(type) ? image_end : image_end - 1;
        cells.push_back({image_of_double(type, knots[i]), image_last, u, u_next});
        u = u_next;
    }
}

} // namespace

std::uint64_t zero_image(KeyType type) {
    return with_key_type(type, []<class T>(T) -> std::uint64_t {
        return static_cast<std::uint64_t>(image_of(T{}));
    });
}

std::uint64_t largest_image(KeyType type) {
    return with_key_type(type, []<class T>(T) -> std::uint64_t {
        return static_cast<std::uint64_t>(image_of(std::numeric_limits<T>::max()));
    });
}

std::uint64_t image_of_whole(KeyType type, std::uint64_t value) {
    std::uint64_t const image = with_key_type(type, [&]<class T>(T) -> std::uint64_t {
        return static_cast<std::uint64_t>(image_of(static_cast<T>(value)));
    });
    KEYSWAP_ENSURES(image >= zero_image(type) && image <= largest_image(type));
    return image;
}

uint128 to_fixed_point(double probability) {
    if (!(probability > 0)) {
        return 0;
    }
    return probability >= 1 ? two_to_64 : static_cast<uint128>(probability * 0x1p64);
}

QuantileTable table_of_bins(KeyType type, std::span<uint128 const> u_edges, double share) {
    KEYSWAP_EXPECTS(u_edges.size() >= 2);
    std::vector<QuantileCell> cells;
    if (!is_floating(type)) {
        append_integer_bins(type, u_edges, share, cells);
        return QuantileTable(cells);
    }
    std::size_t const bins = u_edges.size() - 1;
    double const top = largest_value(type) * share;
    double const unit = top / static_cast<double>(bins);
    // Round edges to the type, so that adjacent bins share them.
    auto const edge = [&](std::size_t index) {
        return index == bins
                   ? top
                   : value_of_image(type, image_of_double(type, unit * static_cast<double>(index)));
    };
    for (std::size_t bin = 0; bin < bins; ++bin) {
        append_float_bin(type, edge(bin), edge(bin + 1), u_edges[bin], u_edges[bin + 1], cells);
    }
    return QuantileTable(cells);
}

QuantileTable uniform_table(KeyType type, double share) {
    uint128 const edges[] = {0, two_to_64};
    return table_of_bins(type, edges, share);
}

QuantileTable table_below(KeyType type, double end) {
    KEYSWAP_EXPECTS(end >= 1 && end <= 0x1p30);
    std::vector<QuantileCell> cells;
    if (is_floating(type)) {
        double const rounded = value_of_image(type, image_of_double(type, end));
        append_float_bin(type, 0, rounded, 0, two_to_64, cells);
    } else {
        auto const values = static_cast<std::uint64_t>(std::ceil(end));
        cells.push_back({zero_image(type), zero_image(type) + values - 1, 0, two_to_64});
    }
    return QuantileTable(cells);
}

QuantileTable table_of_points(std::span<WeightedImage const> points) {
    KEYSWAP_EXPECTS(!points.empty());
    double total = 0;
    for (WeightedImage const& point : points) {
        total += point.weight;
    }
    std::vector<QuantileCell> cells;
    double sum = 0;
    for (WeightedImage const& point : points) {
        sum += point.weight;
        uint128 const u_begin = cells.empty() ? 0 : cells.back().u_end;
        uint128 const u_end = std::max(u_begin, to_fixed_point(sum / total));
        if (!cells.empty() && cells.back().image_first == point.image) {
            cells.back().u_end = u_end;
        } else {
            cells.push_back({point.image, point.image, u_begin, u_end});
        }
    }
    cells.back().u_end = two_to_64;
    return QuantileTable(cells);
}

} // namespace keyswap::model
