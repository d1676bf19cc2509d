#pragma once

/// \file Keys in host memory as unsigned words that compare as the keys do, with their values.

#include "kernels/device/key_image.hpp"
#include "traces/records/sequence_digest.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace keyswap::kernels {

struct NoValue {}; ///< the value of keys that have none

template <class Word, class Value>
struct Element {
    Word key;
    [[no_unique_address]] Value value;
};

/// Images and, with values, as many of them.
template <class Word, class Value>
struct ElementArrays {
    static constexpr bool has_values = !std::is_same_v<std::remove_const_t<Value>, NoValue>;

    std::span<Word> keys;    ///< [n]
    std::span<Value> values; ///< [n], empty for NoValue

    [[nodiscard]] std::size_t size() const { return keys.size(); }
    [[nodiscard]] ElementArrays part(std::size_t first, std::size_t count) const {
        return {keys.subspan(first, count),
                has_values ? values.subspan(first, count) : std::span<Value>{}};
    }
    [[nodiscard]] auto at(std::size_t i) const {
        Element<std::remove_const_t<Word>, std::remove_const_t<Value>> element{keys[i], {}};
        if constexpr (has_values) {
            element.value = values[i];
        }
        return element;
    }
    void put(std::size_t i, Element<Word, Value> const& element) const {
        keys[i] = element.key;
        if constexpr (has_values) {
            values[i] = element.value;
        }
    }
    /// \pre `from` is as large and does not overlap
    void copy(ElementArrays<Word const, Value const> const& from) const {
        std::ranges::copy(from.keys, keys.begin());
        std::ranges::copy(from.values, values.begin());
    }
    operator ElementArrays<Word const, Value const>() const // NOLINT(google-explicit-constructor)
        requires(!std::is_const_v<Word>) {
        return {keys, values};
    }
};

template <class Word, class Value>
using ConstElements = ElementArrays<Word const, Value const>;

/// Digest of the elements, the first of which stands at `first` of the whole sequence.
template <class Word, class Value>
[[nodiscard]] SequenceDigest sequence_digest(ElementArrays<Word, Value> const& elements,
                                             std::size_t first) {
    SequenceDigest sum;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        std::uint64_t value = 0;
        if constexpr (ElementArrays<Word, Value>::has_values) {
            value = elements.values[i];
        }
        if constexpr (sizeof(Word) > sizeof(std::uint64_t)) {
            sum += digest_at(first + i, digest_of_wide(key_image(elements.keys[i]), value));
        } else {
            sum += digest_at(first + i, digest_of(elements.keys[i], value));
        }
    }
    return sum;
}

/// Calls `instantiate(Word, Value)` for all types that ElementArrays are of.
// clang-format off
#define KEYSWAP_FOR_EACH_ELEMENT_ARRAYS(instantiate) \
    instantiate(std::uint32_t, ::keyswap::kernels::NoValue) instantiate(std::uint32_t, std::uint32_t) instantiate(std::uint32_t, std::uint64_t) \
    instantiate(std::uint64_t, ::keyswap::kernels::NoValue) instantiate(std::uint64_t, std::uint32_t) instantiate(std::uint64_t, std::uint64_t) \
    instantiate(::keyswap::kernels::WideImage, ::keyswap::kernels::NoValue) instantiate(::keyswap::kernels::WideImage, std::uint32_t) instantiate(::keyswap::kernels::WideImage, std::uint64_t)
// clang-format on

} // namespace keyswap::kernels
