#pragma once

/// \file The operations of merge sort without SIMD: stable, for keys of any width, with or without
/// values.

#include "kernels/cpu/column_keys.hpp"
#include "kernels/cpu/element_arrays.hpp"

#include <algorithm>

namespace keyswap::kernels {

/// Merges two runs stably, without key-dependent branches. \pre `to` has their total size
template <class Word, class Value>
void merge_scalar(ConstElements<Word, Value> const& first,
                  ConstElements<Word, Value> const& second,
                  ElementArrays<Word, Value> const& to) {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < first.size() && j < second.size()) {
        bool const take_second = second.keys[j] < first.keys[i];
        to.keys[i + j] = take_second ? second.keys[j] : first.keys[i];
        if constexpr (ElementArrays<Word, Value>::has_values) {
            to.values[i + j] = take_second ? second.values[j] : first.values[i];
        }
        std::size_t const from_second = take_second ? 1 : 0;
        i += 1 - from_second;
        j += from_second;
    }
    std::size_t const left = first.size() - i;
    to.part(i + j, left).copy(first.part(i, left));
    to.part(i + j + left, second.size() - j).copy(second.part(j, second.size() - j));
}

/// Insertion sort of each run of column_keys elements; the last run may be shorter.
/// \pre `to` has the size of `from`, and is the same array or does not overlap
template <class From, class FromValue, class Word, class Value>
void sort_columns_scalar(ElementArrays<From, FromValue> const& from,
                         ElementArrays<Word, Value> const& to) {
    for (std::size_t begin = 0; begin < from.size(); begin += column_keys) {
        std::size_t const end = std::min(begin + column_keys, from.size());
        for (std::size_t i = begin; i < end; ++i) {
            auto const element = from.at(i);
            std::size_t place = i;
            for (; place > begin && element.key < to.keys[place - 1]; --place) {
                to.put(place, to.at(place - 1));
            }
            to.put(place, element);
        }
    }
}

} // namespace keyswap::kernels
