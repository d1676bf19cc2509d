#pragma once

/// \file Sorts words of unknown distribution: one scatter by the upper bits into buckets that fit
/// into a cache, then each bucket within the cache. Words travel twice through memory, not once for
/// each of eight digits as in `buffered-radix`, which follows a paper.

#include "kernels/cpu/line_buffers.hpp"
#include "kernels/cpu/thread_team.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace keyswap::tools {

namespace word_sort {

inline constexpr int split_bits = 10;                             ///< of the scatter in memory
inline constexpr std::size_t cached_bytes = std::size_t{1} << 19; ///< bucket size: half a cache
inline constexpr std::size_t insertion_sort_max = 24;             ///< or fewer: insertion sort
inline constexpr int digit_bits = 8;                              ///< of the passes in a cache
inline constexpr std::size_t digits = std::size_t{1} << digit_bits;
inline constexpr int digit_steps = 3; ///< odd, so the result ends in `to`

template <class Word>
int width_of(Word word) {
    auto const low = static_cast<std::uint64_t>(word);
    if constexpr (sizeof(Word) > sizeof low) {
        auto const high = static_cast<std::uint64_t>(word >> 64);
        return static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
    }
    return static_cast<int>(std::bit_width(low));
}

template <class Word>
void insertion_sort(std::span<Word> words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
        Word const word = words[i];
        std::size_t place = i;
        for (; place > 0 && word < words[place - 1]; --place) {
            words[place] = words[place - 1];
        }
        words[place] = word;
    }
}

/// Minimum and maximum. \pre words is not empty
template <class Word>
std::pair<Word, Word> ends_of(std::span<Word const> words) {
    Word least = words.front();
    Word largest = words.front();
    for (Word const word : words) {
        least = std::min(least, word);
        largest = std::max(largest, word);
    }
    return {least, largest};
}

/// Radix-sorts by the upper 24 bits of (word - minimum), then each group with equal upper bits.
/// \param from is overwritten
template <class Word>
void sort_cached(std::span<Word> from, std::span<Word> to) {
    if (from.size() <= insertion_sort_max) {
        std::ranges::copy(from, to.begin());
        return insertion_sort(to);
    }
    auto const ends = ends_of<Word>(from);
    Word const least = ends.first; // lambdas capture no structured bindings
    int const shift = std::max(width_of<Word>(ends.second - least) - digit_steps * digit_bits, 0);
    auto const upper = [least, shift](Word word) {
        return static_cast<std::uint32_t>((word - least) >> shift);
    };
    std::array<std::array<std::uint32_t, digits>, digit_steps> places{};
    for (Word const word : from) {
        std::uint32_t bits = upper(word);
        for (auto& counts : places) {
            ++counts[bits % digits];
            bits >>= digit_bits;
        }
    }
    for (auto& counts : places) {
        std::uint32_t next = 0;
        for (std::uint32_t& count : counts) {
            next += std::exchange(count, next);
        }
    }
    for (int step = 0; step < digit_steps; ++step) {
        auto& places_of = places[static_cast<std::size_t>(step)];
        for (Word const word : from) {
            to[places_of[(upper(word) >> (step * digit_bits)) % digits]++] = word;
        }
        std::swap(from, to);
    }
    std::swap(from, to);
    if (shift == 0) {
        return;
    }
    for (std::size_t i = 1; i < to.size(); ++i) {
        if (to[i] < to[i - 1]) [[unlikely]] {
            std::uint32_t const common = upper(to[i]);
            std::size_t begin = i - 1;
            while (begin > 0 && upper(to[begin - 1]) == common) {
                --begin;
            }
            for (; i < to.size() && upper(to[i]) == common; ++i) {
            }
            auto const group = to.subspan(begin, i - begin);
            if (group.size() <= insertion_sort_max) {
                insertion_sort(group);
            } else {
                auto const copy = from.subspan(begin, group.size());
                std::ranges::copy(group, copy.begin());
                sort_cached(copy, group);
            }
        }
    }
}

} // namespace word_sort

/// Sorts words in ascending order. \param scratch of equal size; overwritten
/// \throws std::system_error if the system cannot create the threads
template <class Word>
void sort_words(std::span<Word> words, std::span<Word> scratch, unsigned threads) {
    using namespace word_sort;
    using kernels::run_on_threads;
    if (words.empty()) {
        return;
    }
    auto const block = [&](unsigned thread) {
        auto const [first, end] = kernels::block_of(words.size(), threads, thread);
        return words.subspan(first, end - first);
    };
    std::vector<std::pair<Word, Word>> ends(threads, {words.front(), words.front()});
    run_on_threads(threads, [&](unsigned thread) {
        if (!block(thread).empty()) {
            ends[thread] = ends_of<Word>(block(thread));
        }
    });
    Word const least = std::ranges::min(ends, {}, &std::pair<Word, Word>::first).first;
    Word const largest = std::ranges::max(ends, {}, &std::pair<Word, Word>::second).second;
    if (least == largest) {
        return;
    }
    int const shift = std::max(width_of<Word>(largest - least) - split_bits, 0);
    auto const bucket_of = [least, shift](Word word) {
        return static_cast<std::size_t>((word - least) >> shift);
    };
    std::size_t const buckets = bucket_of(largest) + 1;
    std::vector<std::vector<std::uint64_t>> places(threads, std::vector<std::uint64_t>(buckets));
    run_on_threads(threads, [&](unsigned thread) {
        auto& counts = places[thread];
        for (Word const word : block(thread)) {
            ++counts[bucket_of(word)];
        }
    });
    std::vector<std::uint64_t> starts;
    std::uint64_t next = 0;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        starts.push_back(next);
        for (auto& of_thread : places) {
            next += std::exchange(of_thread[bucket], next);
        }
    }
    starts.push_back(next);
    run_on_threads(threads, [&](unsigned thread) {
        kernels::LineBuffers<Word, kernels::NoValue> lines({scratch, {}}, places[thread]);
        for (Word const word : block(thread)) {
            lines.put(bucket_of(word), {word, {}});
        }
        lines.finish();
    });
    std::atomic<std::size_t> bucket_next{0};
    run_on_threads(threads, [&](unsigned) {
        for (std::size_t bucket = bucket_next++; bucket < buckets; bucket = bucket_next++) {
            std::uint64_t const start = starts[bucket];
            auto const from = scratch.subspan(start, starts[bucket + 1] - start);
            auto const to = words.subspan(start, from.size());
            if (from.size_bytes() <= cached_bytes) {
                sort_cached(from, to);
            } else { // many words share their upper bits
                std::ranges::copy(from, to.begin());
                sort_words(to, from, 1);
            }
        }
    });
}

} // namespace keyswap::tools
