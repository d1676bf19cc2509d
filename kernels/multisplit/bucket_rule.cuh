#pragma once

/// \file Bucket rules on the device: shifts, multiplications and an implicit tree. (The reference
/// model searches intervals; the two share only the rule's data.)

#include "kernels/faults/device_faults.cuh"
#include "kernels/multisplit/device_rule.hpp"
#include "traces/records/digest.hpp"

#include <cstdint>
#include <type_traits>

namespace keyswap::kernels {

/// floor(x / width) with one multiplication; width 0 means 2^64. The product with floor(2^64 /
/// width) is at most one less than the quotient.
[[nodiscard]] __device__ inline std::uint64_t
quotient(std::uint64_t x, std::uint64_t width, std::uint64_t reciprocal) {
    if (width <= 1) {
        return width == 1 ? x : 0;
    }
    std::uint64_t const q = __umul64hi(x, reciprocal);
    if (kernel_has_fault(DeviceFault::division_off_by_one)) {
        return q;
    }
    return q + (x - q * width >= width ? 1 : 0);
}

/// The same for 32-bit words, which multiply four times as fast. \pre width > 1
[[nodiscard]] __device__ inline std::uint32_t
quotient(std::uint32_t x, std::uint32_t width, std::uint32_t reciprocal) {
    std::uint32_t const q = __umulhi(x, reciprocal);
    if (kernel_has_fault(DeviceFault::division_off_by_one)) {
        return q;
    }
    return q + (x - q * width >= width ? 1 : 0);
}

/// A digit of the image.
template <class Key>
struct DigitRule {
    static constexpr bool is_cheap = true; ///< evaluating again is cheaper than storing the label
    ImageCode code;
    int shift;
    std::uint32_t mask;

    KEYSWAP_HOST_DEVICE explicit DigitRule(DeviceRule const& rule)
        : code(rule.code), shift(rule.shift), mask(rule.mask) {}
    [[nodiscard]] __device__ std::uint32_t operator()(Key key) const {
        return static_cast<std::uint32_t>(encode_image(key, code) >> shift) & mask;
    }
};

/// Ranges of equal width.
template <class Key>
struct DeltaRule {
    static constexpr bool is_cheap = true;
    ImageCode code;
    Key origin;
    std::uint32_t last;
    std::uint64_t width;
    Key reciprocal; ///< floor(2^b / width) for keys of b bits and widths above 1

    KEYSWAP_HOST_DEVICE explicit DeltaRule(DeviceRule const& rule)
        : code(rule.code), origin(static_cast<Key>(rule.origin)), last(rule.buckets - 1),
          width(rule.width),
          // floor(floor(2^64 / w) / 2^32) = floor(2^32 / w)
          reciprocal(static_cast<Key>(sizeof(Key) == 4 ? rule.reciprocal >> 32 : rule.reciprocal)) {
    }
    [[nodiscard]] __device__ std::uint32_t operator()(Key key) const {
        Key const image = encode_image(key, code);
        if (image < origin) {
            return 0;
        }
        Key range = image - origin;
        if constexpr (sizeof(Key) == 4) {
            if (width >> 32 != 0) {
                range = 0; // a single bucket holds all keys
            } else if (width != 1) {
                range = quotient(range, static_cast<std::uint32_t>(width), reciprocal);
            }
        } else {
            range = quotient(range, width, reciprocal);
        }
        if (kernel_has_fault(DeviceFault::clamp_missing)) {
            return static_cast<std::uint32_t>(range % (last + Key{1}));
        }
        return range < last ? static_cast<std::uint32_t>(range) : last;
    }
};

/// Child of rank j among the splitters: j, or with equality buckets child j + F(j), plus one if the
/// image equals the next splitter and that one has an equality bucket.
template <class Key>
[[nodiscard]] __device__ std::uint32_t
child_of_rank(DeviceRule const& rule, std::uint32_t rank, Key image) {
    if (!rule.has_equality) {
        return rank;
    }
    std::uint32_t const child = __ldg(&rule.children[rank]);
    bool const equal = (child & equality_flag) != 0 &&
                       __ldg(static_cast<Key const*>(rule.ascending) + rank) == image;
    return (child & ~equality_flag) + (equal ? 1U : 0U);
}

/// Number of splitters below each of several images, by interleaved searches level by level, so
/// that the loads of all images are in flight at once. Source: GPU Sample Sort, section 4.
template <class Key, int count>
__device__ void tree_labels(DeviceRule const& rule,
                            Key const* tree,
                            Key const (&keys)[count],
                            std::uint32_t (&labels)[count]) {
    Key images[count];
#pragma unroll
    for (int k = 0; k < count; ++k) {
        images[k] = encode_image(keys[k], rule.code);
        labels[k] = 1;
    }
    int level = 0;
    if (rule.levels >= 2) { // the first two levels are in registers
        Key const root = tree[1];
        Key const left = tree[2];
        Key const right = tree[3];
#pragma unroll
        for (int k = 0; k < count; ++k) {
            bool const is_right = images[k] > root;
            bool const is_upper = images[k] > (is_right ? right : left);
            labels[k] = (is_right ? 6U : 4U) + (is_upper ? 1U : 0U);
        }
        level = 2;
    }
#pragma unroll 2
    for (; level < rule.levels; ++level) {
#pragma unroll
        for (int k = 0; k < count; ++k) {
            labels[k] += labels[k] + (images[k] > tree[labels[k]] ? 1U : 0U);
        }
    }
#pragma unroll
    for (int k = 0; k < count; ++k) {
        std::uint32_t const rank = labels[k] - (1U << rule.levels) + rule.rank_base;
        labels[k] = child_of_rank(rule, rank, images[k]);
    }
}

/// Ranges between splitters, with a tree in global or shared memory.
template <class Key>
struct TreeRule {
    static constexpr bool is_cheap = false;
    DeviceRule rule;
    Key const* tree;

    KEYSWAP_HOST_DEVICE explicit TreeRule(DeviceRule const& given)
        : rule(given), tree(static_cast<Key const*>(given.tree)) {}
    [[nodiscard]] __device__ std::uint32_t operator()(Key key, std::uint64_t /*index*/) const {
        Key const keys[1] = {key};
        std::uint32_t labels[1];
        tree_labels(rule, tree, keys, labels);
        return labels[0];
    }
};

/// Bins of equal width between the first and the last edge; 0 below them, bins + 1 above. Edges are
/// rounded to the key type, so a product is only a guess: it is accepted if far enough from the
/// next whole number, otherwise compared with the edges.
template <class Key>
struct EvenRule {
    static constexpr bool is_cheap = true;
    using Real = std::conditional_t<sizeof(Key) == 4, float, double>;
    ImageCode code;
    Key first;
    Key end;
    Key const* edges; ///< [bins + 1] images
    std::uint32_t bins;
    Real lower;
    Real bins_per_unit;
    Real trust; ///< distance from a bin's middle below which a guess is right

    KEYSWAP_HOST_DEVICE explicit EvenRule(DeviceRule const& rule)
        : code(rule.code), first(static_cast<Key>(rule.first_edge)),
          end(static_cast<Key>(rule.end_edge)), edges(static_cast<Key const*>(rule.ascending)),
          bins(rule.buckets - 2), lower(static_cast<Real>(rule.lower)),
          bins_per_unit(static_cast<Real>(rule.bins_per_unit)),
          trust(static_cast<Real>(0.5 - rule.doubt)) {}

    [[nodiscard]] __device__ Real number(Key key) const {
        if (code.sign == SignRule::floating) {
            if constexpr (sizeof(Key) == 4) {
                return __uint_as_float(key);
            } else {
                return __longlong_as_double(static_cast<long long>(key));
            }
        }
        using Signed = std::make_signed_t<Key>;
        return code.sign == SignRule::integer ? static_cast<Real>(static_cast<Signed>(key))
                                              : static_cast<Real>(key);
    }
    [[nodiscard]] __device__ std::uint32_t operator()(Key key) const {
        Real const position = (number(key) - lower) * bins_per_unit;
        auto bin = static_cast<std::int32_t>(position);
        Real const from_middle = position - static_cast<Real>(bin) - Real{0.5};
        // Excludes the vicinity of whole numbers, hence of the first and last edge; false for NaN.
        bool const is_certain = static_cast<std::uint32_t>(bin) < bins &&
                                (from_middle < 0 ? -from_middle : from_middle) < trust;
        if (!is_certain) {
            Key const image = encode_image(key, code);
            if (image < first) {
                return 0;
            }
            if (image >= end) {
                return bins + 1;
            }
            auto const last = static_cast<std::int32_t>(bins) - 1;
            bin = bin < 0 ? 0 : bin > last ? last : bin;
            while (image < edges[bin]) {
                --bin;
            }
            while (image >= edges[bin + 1]) {
                ++bin;
            }
        }
        return static_cast<std::uint32_t>(bin) + 1;
    }
};

/// Stored labels: nothing to evaluate.
struct KeptRule {
    static constexpr bool is_cheap = false;
};

/// Trial division; for tests and examples.
[[nodiscard]] __device__ inline bool is_prime(std::uint64_t number) {
    if (number < 4) {
        return number >= 2;
    }
    if (number % 2 == 0) {
        return false;
    }
    for (std::uint64_t divisor = 3; divisor <= number / divisor; divisor += 2) {
        if (number % divisor == 0) {
            return false;
        }
    }
    return true;
}

/// Any rule, by a switch that is uniform across threads.
template <class Key>
struct AnyRule {
    static constexpr bool is_cheap = false;
    DeviceRule rule;

    KEYSWAP_HOST_DEVICE explicit AnyRule(DeviceRule const& given) : rule(given) {}
    [[nodiscard]] __device__ std::uint32_t operator()(Key key, std::uint64_t index) const {
        if (rule.kind == RuleKind::labels) {
            switch (rule.label_bytes) {
            case 1:
                return static_cast<std::uint8_t const*>(rule.labels)[index];
            case 2:
                return static_cast<std::uint16_t const*>(rule.labels)[index];
            default:
                return static_cast<std::uint32_t const*>(rule.labels)[index];
            }
        }
        Key const image = encode_image(key, rule.code);
        switch (rule.kind) {
        case RuleKind::digit:
            return static_cast<std::uint32_t>(image >> rule.shift) & rule.mask;
        case RuleKind::delta: {
            if (image < rule.origin) {
                return 0;
            }
            std::uint64_t const range = quotient(image - rule.origin, rule.width, rule.reciprocal);
            return range < rule.buckets - 1 ? static_cast<std::uint32_t>(range) : rule.buckets - 1;
        }
        case RuleKind::splitters:
            return TreeRule<Key>(rule)(key, index);
        case RuleKind::prime:
            return is_prime(image) ? 0 : 1;
        default: { // hash
            std::uint64_t const mixed =
                mix_bits(static_cast<std::uint64_t>(image) ^ mix_bits(rule.seed));
            return static_cast<std::uint32_t>(__umul64hi(mixed, rule.buckets));
        }
        }
    }
};

/// Label of the key at `at`; positions beyond the end get the last bucket, where they come last.
template <class Key>
__device__ std::uint32_t
label_or_last(AnyRule<Key> const& rule, Key key, std::uint64_t at, std::uint64_t count) {
    std::uint32_t const last =
        kernel_has_fault(DeviceFault::ragged_tail_bucket) ? 0 : rule.rule.buckets - 1;
    return at < count ? rule(key, at) : last;
}

} // namespace keyswap::kernels
