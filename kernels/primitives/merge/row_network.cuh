#pragma once

/// \file A thread sorts a row of 16 words in registers by Batcher's merge network, whose
/// comparators are compile-time constants. Source: Batcher, Sorting networks and their
/// applications, 1968.

#include "kernels/primitives/merge/batcher_network.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace keyswap::kernels {

inline constexpr int row_words = 16;

namespace row_network_detail {

template <std::uint32_t index,
          std::uint32_t block,
          std::uint32_t distance,
          class Word,
          class Exchange>
__device__ __forceinline__ void compare(Word (&row)[row_words], Exchange exchange) {
    constexpr Comparator places = batcher_comparator_of(index, block, distance);
    if constexpr (places.lower != places.upper) {
        exchange(row[places.lower], row[places.upper]);
    }
}

template <std::uint32_t block,
          std::uint32_t distance,
          class Word,
          class Exchange,
          std::size_t... index>
__device__ __forceinline__ void
compare_all(Word (&row)[row_words], Exchange exchange, std::index_sequence<index...> /*stage*/) {
    (compare<index, block, distance>(row, exchange), ...);
}

/// \pre both halves of each block are sorted
template <std::uint32_t block, std::uint32_t distance, class Word, class Exchange>
__device__ __forceinline__ void merge_blocks(Word (&row)[row_words], Exchange exchange) {
    compare_all<block, distance>(row, exchange, std::make_index_sequence<row_words / 2>{});
    if constexpr (distance > 1) {
        merge_blocks<block, distance / 2>(row, exchange);
    }
}

template <std::uint32_t block, class Word, class Exchange>
__device__ __forceinline__ void sort_blocks(Word (&row)[row_words], Exchange exchange) {
    if constexpr (block > 2) {
        sort_blocks<block / 2>(row, exchange);
    }
    merge_blocks<block, block / 2>(row, exchange);
}

} // namespace row_network_detail

/// \param exchange (a, b): moves the lower of two words to a, the other to b
template <class Word, class Exchange>
__device__ __forceinline__ void sort_row(Word (&row)[row_words], Exchange exchange) {
    row_network_detail::sort_blocks<row_words>(row, exchange);
}

/// The same if both halves of the row are sorted.
template <class Word, class Exchange>
__device__ __forceinline__ void merge_row(Word (&row)[row_words], Exchange exchange) {
    row_network_detail::merge_blocks<row_words, row_words / 2>(row, exchange);
}

} // namespace keyswap::kernels
