#include "model/partition/value_histogram.hpp"

#include "model/keys/key_order.hpp"
#include "model/keys/key_text.hpp"
#include "model/partition/bucket_rule_text.hpp"
#include "model/partition/stable_partition.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace keyswap::model {

namespace {

/// The image of an edge: that of -0.0 if it is zero, because neither zero is below the other.
template <class T>
KeyImage edge_image(T edge) {
    if constexpr (std::floating_point<T>) {
        edge = edge == T{0} ? -T{0} : edge;
    }
    return key_image(image_of(edge));
}

/// Bounds of floats are rounded to the key type only as edges.
template <class T>
using Bound = std::conditional_t<std::floating_point<T>, double, T>;

template <class T>
Expected<Bound<T>> parse_bound(std::string_view text, KeyType type, std::string const& range) {
    if (kind_of(type) != KeyKind::bytes && !parsed_number<double>(text)) {
        return input_error(range,
                           "'" + printable_text(text) + "' is not a number",
                           "give LOWER:UPPER, such as 0:1024");
    }
    Bound<T> bound{};
    KEYSWAP_RETURN_IF_ERROR(parse_key(text,
                                      std::floating_point<T> ? KeyType::f64 : type,
                                      std::as_writable_bytes(std::span(&bound, 1)))
                                .map_error(about(range)));
    return bound;
}

/// The key nearest to lower + i (upper - lower) / bins, ties to even; nullopt if beyond the type.
template <class T>
std::optional<T> edge_between(Bound<T> lower, Bound<T> upper, std::uint32_t i, std::uint32_t bins) {
    if constexpr (std::floating_point<T>) {
        auto const key = static_cast<T>(i < bins ? lower + i * (upper - lower) / bins : upper);
        return std::isfinite(key) ? std::optional<T>(key) : std::nullopt;
    } else {
        using Word = std::conditional_t<sizeof(T) == sizeof(uint128), uint128, std::uint64_t>;
        Word const width = static_cast<Word>(upper) - static_cast<Word>(lower);
        // i * width would overflow; i * (width % bins) has at most 40 bits.
        std::uint64_t const parts = i * static_cast<std::uint64_t>(width % bins);
        Word const below = static_cast<Word>(lower) + width / bins * i + parts / bins;
        std::uint64_t const rest = 2 * (parts % bins);
        bool const up = rest > bins || (rest == bins && (below & 1) != 0);
        return static_cast<T>(below + (up ? 1 : 0));
    }
}

} // namespace

Expected<std::vector<KeyImage>>
even_edges(KeyType type, std::string_view range, std::uint32_t bins) {
    if (bins < 1 || bins > bucket_count_max - 2) {
        return input_error(setting("bins"),
                           std::to_string(bins) + " is out of range",
                           "give 1 to " + std::to_string(bucket_count_max - 2));
    }
    std::string const subject = setting("range", printable_text(range));
    std::size_t const colon = std::min(range.find(':'), range.size());
    return with_key_type(type, [&]<class T>(T) -> Expected<std::vector<KeyImage>> {
        KEYSWAP_TRY(auto const lower, parse_bound<T>(range.substr(0, colon), type, subject));
        KEYSWAP_TRY(auto const upper,
                    parse_bound<T>(range.substr(std::min(colon + 1, range.size())), type, subject));
        bool ascends = lower < upper;
        if constexpr (std::floating_point<T>) {
            ascends = std::isfinite(lower) && std::isfinite(upper) && lower < upper;
            if (ascends && !std::isfinite(upper - lower)) {
                return input_error(subject,
                                   "is wider than the largest f64",
                                   "give a narrower range, or edges in a file: " +
                                       setting("edges"));
            }
        }
        if (!ascends) {
            return input_error(
                subject, "is not an ascending range", "give LOWER:UPPER with LOWER < UPPER");
        }
        std::vector<KeyImage> edges;
        for (std::uint32_t i = 0; i <= bins; ++i) {
            auto const key = edge_between<T>(lower, upper, i, bins);
            if (!key) {
                return input_error(subject,
                                   "has bounds beyond the range of " + std::string(to_string(type)),
                                   "give bounds that the keys' type holds");
            }
            KeyImage const image = edge_image(*key);
            if (!edges.empty() && !(edges.back() < image)) {
                return input_error(subject + " and " + setting("bins") + " " + std::to_string(bins),
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
