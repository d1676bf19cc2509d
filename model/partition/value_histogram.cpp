#include "model/partition/value_histogram.hpp"

#include "model/keys/key_order.hpp"
#include "model/keys/key_text.hpp"
#include "model/partition/bucket_rule_text.hpp"
#include "model/partition/stable_partition.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>

namespace keyswap::model {

namespace {

std::string text_of(double value) {
    return key_text(KeyType::f64, std::as_bytes(std::span(&value, 1)));
}

/// The image of an edge: that of -0.0 if it is zero, because neither zero is below the other.
template <class T>
KeyImage edge_image(T edge) {
    if constexpr (std::floating_point<T>) {
        edge = edge == T{0} ? -T{0} : edge;
    }
    return key_image(image_of(edge));
}

/// The nearest key, ties to even; nullopt if out of the type's range.
template <class T>
std::optional<T> nearest_key(double value) {
    if constexpr (std::floating_point<T>) {
        T const key = static_cast<T>(value);
        return std::isfinite(key) ? std::optional<T>(key) : std::nullopt;
    } else {
        double const rounded = std::nearbyint(value);
        // 2^63 and 2^64 are doubles; the largest 64-bit keys are not.
        double const limit = std::ldexp(1.0, std::numeric_limits<T>::digits);
        if (rounded < static_cast<double>(std::numeric_limits<T>::min()) || rounded >= limit) {
            return std::nullopt;
        }
        return static_cast<T>(rounded);
    }
}

} // namespace

Expected<std::vector<KeyImage>>
even_edges(KeyType type, double lower, double upper, std::uint32_t bins) {
    if (bins < 1 || bins > bucket_count_max - 2) {
        return input_error(setting("bins"),
                           std::to_string(bins) + " is out of range",
                           "give 1 to " + std::to_string(bucket_count_max - 2));
    }
    std::string const range = setting("range", text_of(lower) + ":" + text_of(upper));
    if (!std::isfinite(lower) || !std::isfinite(upper) || !(lower < upper)) {
        return input_error(
            range, "is not an ascending range", "give LOWER:UPPER with LOWER < UPPER");
    }
    return with_key_type(type, [&]<class T>(T) -> Expected<std::vector<KeyImage>> {
        std::vector<KeyImage> edges;
        for (std::uint32_t i = 0; i <= bins; ++i) {
            double const value = i < bins ? lower + i * (upper - lower) / bins : upper;
            auto const key = nearest_key<T>(value);
            if (!key) {
                return input_error(range,
                                   text_of(value) + " is not a valid " +
                                       std::string(to_string(type)),
                                   "give bounds that the keys' type holds");
            }
            KeyImage const image = edge_image(*key);
            if (!edges.empty() && !(edges.back() < image)) {
                return input_error(range + " and --bins " + std::to_string(bins),
                                   "edges " + std::to_string(i) + " and " + std::to_string(i + 1) +
                                       " are the same " + std::string(to_string(type)),
                                   "give fewer bins or a wider range");
            }
            edges.push_back(image);
        }
        return edges;
    });
}

Expected<std::vector<KeyImage>> read_edges(std::filesystem::path const& path, KeyType type) {
    KEYSWAP_TRY(auto edges, read_ascending_keys(path, type, "edge"));
    with_key_type(type, [&edges]<class T>(T) {
        // With both zeros as edges, no sample lies between them.
        std::ranges::replace(edges, key_image(image_of(T{0})), edge_image(T{0}));
        edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    });
    if (edges.size() < 2) {
        return tl::unexpected(
            InputError{path.string(), "has fewer than two edges", "give at least two"});
    }
    return edges;
}

BucketFunction edge_function(std::span<KeyImage const> edges) {
    return splitter_function(
        {{edges.begin(), edges.end()}, std::vector<bool>(edges.size(), false), Tie::right});
}

template <class Image>
ValueHistogram
value_histogram(std::span<Image const> images, std::span<KeyImage const> edges, int key_bits) {
    KEYSWAP_EXPECTS(edges.size() >= 2);
    BucketEvaluator const evaluator(edge_function(edges), key_bits);
    auto const counts = counts_of(evaluator, images);
    return {counts.front(), {counts.begin() + 1, counts.end() - 1}, counts.back()};
}

template ValueHistogram
value_histogram(std::span<std::uint32_t const>, std::span<KeyImage const>, int);
template ValueHistogram
value_histogram(std::span<std::uint64_t const>, std::span<KeyImage const>, int);
template ValueHistogram value_histogram(std::span<uint128 const>, std::span<KeyImage const>, int);

} // namespace keyswap::model
