#pragma once

/// \file The reference partition that all others are compared with: a stable counting sort by
/// bucket.

#include "model/keys/key_arrays.hpp"
#include "model/keys/parallel.hpp"
#include "model/keys/wide_integer.hpp"
#include "model/partition/bucket_rule.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/records/sequence_digest.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace keyswap::model {

/// Digest of a sequence of keys and values; independent of the number of threads.
/// \param first position of the first key within the whole sequence
template <class Image, class Value>
[[nodiscard]] SequenceDigest sequence_digest(KeyArrays<Image, Value> const& arrays,
                                             std::uint64_t first = 0) {
    return parallel_sum<SequenceDigest>(
        arrays.size(),
        std::uint64_t{1} << 16,
        [&](SequenceDigest& sum, std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t i = begin; i < end; ++i) {
                sum += digest_at(first + i, element_digest(arrays.keys[i], value_word(arrays, i)));
            }
        });
}

/// The bucket of every key, computed in parallel. \return [n]
/// \param first input position of the first key
template <class Image>
[[nodiscard]] std::vector<std::uint32_t> labels_of(BucketEvaluator const& evaluator,
                                                   std::span<Image const> images,
                                                   std::uint64_t first = 0) {
    std::vector<std::uint32_t> labels(images.size());
    parallel_ranges(
        images.size(), std::uint64_t{1} << 16, [&](std::uint64_t begin, std::uint64_t end) {
            evaluator.buckets_of(images.subspan(begin, end - begin),
                                 first + begin,
                                 std::span(labels).subspan(begin, end - begin));
        });
    return labels;
}

/// Histogram of the keys' buckets, computed in parallel. \return [evaluator.bucket_count()]
template <class Image>
[[nodiscard]] std::vector<std::uint64_t> counts_of(BucketEvaluator const& evaluator,
                                                   std::span<Image const> images) {
    return parallel_counts(
        images.size(),
        std::uint64_t{1} << 18,
        evaluator.bucket_count(),
        [&](std::span<std::uint64_t> counts, std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t i = begin; i < end; ++i) {
                ++counts[evaluator.bucket_of(images[i], i)];
            }
        });
}

/// Writes the elements of `from` to `to` in ascending order of buckets; stable.
/// \param labels [n] bucket of each element, below `buckets`
/// \return [buckets] histogram
/// \pre `from` and `to` have the same size and do not overlap
template <class Image, class Value>
std::vector<std::uint64_t> stable_partition(std::span<std::uint32_t const> labels,
                                            std::uint32_t buckets,
                                            KeyArrays<Image, Value> const& from,
                                            KeyArrays<Image, Value> const& to) {
    KEYSWAP_EXPECTS(labels.size() == from.size() && from.size() == to.size());
    // Blocks of at least 2^16 keys keep the counters small relative to the input.
    std::size_t const block_size = std::max<std::size_t>(std::size_t{1} << 16, 4 * buckets);
    std::size_t const blocks = (from.size() + block_size - 1) / block_size;
    std::vector<std::uint64_t> places(blocks * buckets, 0);
    auto const for_each_block = [&](auto const& work) {
        parallel_for(blocks, [&](std::uint64_t block) {
            std::size_t const begin = block * block_size;
            work(std::span(places).subspan(block * buckets, buckets),
                 begin,
                 std::min(begin + block_size, from.size()));
        });
    };
    for_each_block([&](std::span<std::uint64_t> counts, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            ++counts[labels[i]];
        }
    });
    std::vector<std::uint64_t> total(buckets, 0);
    std::uint64_t next = 0;
    for (std::uint32_t bucket = 0; bucket < buckets; ++bucket) {
        std::uint64_t const start = next;
        for (std::size_t block = 0; block < blocks; ++block) {
            next += std::exchange(places[block * buckets + bucket], next);
        }
        total[bucket] = next - start;
    }
    for_each_block([&](std::span<std::uint64_t> place, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            std::uint64_t const position = place[labels[i]]++;
            to.keys[position] = from.keys[i];
            if constexpr (!std::is_same_v<Value, NoValue>) {
                to.values[position] = from.values[i];
            }
        }
    });
    return total;
}

} // namespace keyswap::model
