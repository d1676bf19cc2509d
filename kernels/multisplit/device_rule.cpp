#include "kernels/multisplit/device_rule.hpp"

#include "kernels/device/uploaded_buffer.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace keyswap::kernels {

namespace {

/// Fills splitters in heap order: children of node i are 2i and 2i + 1, node 0 is unused. Nodes
/// without a splitter hold the largest word, so that searches go left there.
template <class Word>
void fill_tree(std::vector<Word> const& ascending, std::vector<Word>& tree, int levels) {
    std::size_t const nodes = std::size_t{1} << levels;
    for (std::size_t node = 1; node < nodes; ++node) {
        int const depth = static_cast<int>(std::bit_width(node)) - 1;
        std::size_t const step = std::size_t{1} << (levels - depth);
        std::size_t const rank = (node - (std::size_t{1} << depth)) * step + step / 2 - 1;
        tree[node] = rank < ascending.size() ? ascending[rank] : std::numeric_limits<Word>::max();
    }
}

template <class Word>
std::vector<std::uint64_t> packed_tables(SplitterBuckets const& splitters, DeviceRule const& rule) {
    bool const ties_right = splitters.tie == Tie::right;
    std::vector<Word> nodes;
    std::vector<Word> ascending;
    for (KeyImage const& image : splitters.splitters) {
        ascending.push_back(static_cast<Word>(image.low));
        if (ascending.size() > rule.rank_base) {
            nodes.push_back(static_cast<Word>(image.low - (ties_right ? 1 : 0)));
        }
    }
    std::vector<Word> words(std::size_t{1} << rule.levels, Word{0});
    fill_tree(nodes, words, rule.levels);
    words.insert(words.end(), ascending.begin(), ascending.end());
    std::vector<std::uint64_t> packed((words.size() * sizeof(Word) + 7) / 8);
    std::copy_n(reinterpret_cast<unsigned char const*>(words.data()),
                words.size() * sizeof(Word),
                reinterpret_cast<unsigned char*>(packed.data()));
    return packed;
}

/// Child of each rank j = 0 .. d, with equality_flag if splitter j + 1 has an equality bucket.
std::vector<std::uint32_t> children_of(SplitterBuckets const& splitters) {
    std::size_t const count = splitters.splitters.size();
    std::vector<std::uint32_t> children(count + 1);
    std::uint32_t child = 0;
    for (std::size_t rank = 0; rank <= count; ++rank) {
        bool const flagged =
            rank < count && splitters.equality.size() > rank && splitters.equality[rank];
        children[rank] = child | (flagged ? equality_flag : 0U);
        child += flagged ? 2 : 1;
    }
    return children;
}

template <class T>
DeviceBuffer<T> on_current_device(std::vector<T> const& host) {
    return uploaded(current_device(), std::span<T const>(host));
}

/// The key of an image as a number. \pre the type has at most 64 bits
double number_of(std::uint64_t image, KeyType type) {
    bool const is_narrow = key_bits(type) == 32;
    ImageCode const code = image_code(type, Direction::ascending);
    std::uint64_t const raw = is_narrow ? decode_image(static_cast<std::uint32_t>(image), code)
                                        : decode_image(image, code);
    switch (kind_of(type)) {
    case KeyKind::floating:
        return is_narrow
                   ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw)))
                   : std::bit_cast<double>(raw);
    case KeyKind::signed_integer:
        return is_narrow ? static_cast<double>(static_cast<std::int32_t>(raw))
                         : static_cast<double>(static_cast<std::int64_t>(raw));
    case KeyKind::unsigned_integer:
    case KeyKind::bytes:
        break;
    }
    return static_cast<double>(raw);
}

} // namespace

RuleTables::RuleTables(std::vector<KeyImage> const& edges, KeyType type) {
    auto const bins = static_cast<std::uint32_t>(edges.size() - 1);
    rule_.kind = RuleKind::even;
    rule_.buckets = bins + 2;
    rule_.code = image_code(type, Direction::ascending);
    rule_.first_edge = edges.front().low;
    rule_.end_edge = edges.back().low;
    rule_.lower = number_of(edges.front().low, type);
    rule_.bins_per_unit = bins / (number_of(edges.back().low, type) - rule_.lower);
    // Error of a guess: the rounding of the edges, plus the arithmetic on the device: three
    // roundings of half a unit in the last place, with a safety factor of four.
    double moved = 0;
    for (std::uint32_t i = 0; i <= bins; ++i) {
        double const position = (number_of(edges[i].low, type) - rule_.lower) * rule_.bins_per_unit;
        moved = std::max(moved, std::abs(position - i));
    }
    bool const is_narrow = key_size_bytes(type) == 4;
    // 64-bit integers are rounded to doubles, 32-bit ones to floats, before they are subtracted.
    double const largest = std::max(std::abs(number_of(edges.front().low, type)),
                                    std::abs(number_of(edges.back().low, type)));
    double const epsilon = is_narrow ? 0x1p-23 : 0x1p-52;
    rule_.doubt = std::min(1.0, moved + 6 * epsilon * (bins + largest * rule_.bins_per_unit));
    if (is_narrow) {
        std::vector<std::uint64_t> packed((edges.size() + 1) / 2);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            packed[i / 2] |= edges[i].low << (32 * (i % 2));
        }
        words_ = on_current_device(packed);
    } else {
        std::vector<std::uint64_t> images;
        for (KeyImage const& edge : edges) {
            images.push_back(edge.low);
        }
        words_ = on_current_device(images);
    }
    rule_.ascending = words_.data();
}

RuleTables::RuleTables(BucketFunction const& function, int key_bytes, ImageCode code) {
    rule_.buckets = function.buckets;
    rule_.code = code;
    if (auto const* const digit = std::get_if<DigitBuckets>(&function.rule)) {
        rule_.kind = RuleKind::digit;
        rule_.shift = digit->shift;
        rule_.mask = function.buckets - 1;
    } else if (auto const* const delta = std::get_if<DeltaBuckets>(&function.rule)) {
        rule_.kind = RuleKind::delta;
        rule_.origin = delta->origin.low;
        rule_.width = delta->width.high != 0 ? 0 : delta->width.low;
        // floor(2^64 / w) = floor((2^64 - w) / w) + 1
        rule_.reciprocal = rule_.width > 1 ? (0 - rule_.width) / rule_.width + 1 : 0;
        // Powers of two that cover all images equal the leading digit.
        int const width_bits = static_cast<int>(std::bit_width(rule_.width)) - 1;
        if (delta->origin == KeyImage{} && std::has_single_bit(rule_.width) &&
            rule_.width * std::uint64_t{rule_.buckets} ==
                (key_bytes == 8 ? 0 : std::uint64_t{1} << 32)) {
            rule_.kind = RuleKind::digit;
            rule_.shift = rule_.buckets == 1 ? 0 : width_bits;
            rule_.mask = rule_.buckets - 1;
        }
    } else if (auto const* const splitters = std::get_if<SplitterBuckets>(&function.rule)) {
        rule_.kind = RuleKind::splitters;
        // With Tie::right, no image is below a first splitter of 0.
        rule_.rank_base = splitters->tie == Tie::right && !splitters->splitters.empty() &&
                                  splitters->splitters.front() == KeyImage{}
                              ? 1
                              : 0;
        rule_.levels =
            static_cast<int>(std::bit_width(splitters->splitters.size() - rule_.rank_base));
        auto const children = children_of(*splitters);
        for (std::uint32_t const child : children) {
            rule_.has_equality = rule_.has_equality || (child & equality_flag) != 0;
        }
        words_ =
            on_current_device(key_bytes == 4 ? packed_tables<std::uint32_t>(*splitters, rule_)
                                             : packed_tables<std::uint64_t>(*splitters, rule_));
        children_ = on_current_device(children);
        rule_.tree = words_.data();
        rule_.ascending = reinterpret_cast<unsigned char const*>(words_.data()) +
                          (static_cast<std::size_t>(key_bytes) << rule_.levels);
        rule_.children = children_.data();
    } else if (std::holds_alternative<PrimeBuckets>(function.rule)) {
        rule_.kind = RuleKind::prime;
    } else if (auto const* const hash = std::get_if<HashBuckets>(&function.rule)) {
        rule_.kind = RuleKind::hash;
        rule_.seed = hash->seed;
    } else {
        KEYSWAP_EXPECTS(std::holds_alternative<LabelBuckets>(function.rule));
        rule_.kind = RuleKind::labels;
    }
}

} // namespace keyswap::kernels
