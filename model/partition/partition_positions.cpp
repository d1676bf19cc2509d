#include "model/partition/partition_positions.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <numeric>

namespace keyswap::model {

std::vector<std::uint64_t> bucket_counts(std::span<std::uint32_t const> labels,
                                         std::uint32_t buckets) {
    std::vector<std::uint64_t> counts(buckets, 0);
    for (std::uint32_t const label : labels) {
        KEYSWAP_EXPECTS(label < buckets);
        ++counts[label];
    }
    return counts;
}

std::vector<std::uint64_t> exclusive_sums(std::span<std::uint64_t const> counts) {
    std::vector<std::uint64_t> sums(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), sums.begin(), std::uint64_t{0});
    return sums;
}

std::vector<std::uint64_t> partition_positions(std::span<std::uint32_t const> labels,
                                               std::uint32_t buckets) {
    std::vector<std::uint64_t> next = exclusive_sums(bucket_counts(labels, buckets));
    std::vector<std::uint64_t> positions(labels.size());
    std::ranges::transform(
        labels, positions.begin(), [&](std::uint32_t label) { return next[label]++; });
    return positions;
}

namespace {

/// Adds to each key's position the number of keys of its bucket in earlier subproblems of each
/// level, within the same subproblem of the level above, and finally the number of earlier keys in
/// its finest subproblem.
void add_earlier_keys(std::span<std::uint32_t const> labels,
                      std::uint32_t buckets,
                      std::span<std::size_t const> sizes,
                      std::span<std::uint64_t> positions) {
    std::vector<std::uint64_t> earlier(buckets, 0);
    if (sizes.empty()) {
        for (std::size_t i = 0; i < labels.size(); ++i) {
            positions[i] += earlier[labels[i]]++;
        }
        return;
    }
    for (std::size_t begin = 0; begin < labels.size(); begin += sizes.front()) {
        std::size_t const size = std::min(sizes.front(), labels.size() - begin);
        auto const part = labels.subspan(begin, size);
        for (std::size_t i = 0; i < size; ++i) {
            positions[begin + i] += earlier[part[i]];
        }
        add_earlier_keys(part, buckets, sizes.subspan(1), positions.subspan(begin, size));
        for (std::uint32_t const label : part) {
            ++earlier[label];
        }
    }
}

} // namespace

std::vector<std::uint64_t> partition_positions_by_levels(std::span<std::uint32_t const> labels,
                                                         std::uint32_t buckets,
                                                         std::span<std::size_t const> sizes) {
    for (std::size_t level = 0; level < sizes.size(); ++level) {
        KEYSWAP_EXPECTS(sizes[level] > 0);
        KEYSWAP_EXPECTS(level == 0 || sizes[level - 1] % sizes[level] == 0);
    }
    auto const starts = exclusive_sums(bucket_counts(labels, buckets));
    std::vector<std::uint64_t> positions(labels.size());
    std::ranges::transform(
        labels, positions.begin(), [&](std::uint32_t label) { return starts[label]; });
    add_earlier_keys(labels, buckets, sizes, positions);
    return positions;
}

std::vector<std::uint64_t>
scanned_table(std::span<std::uint32_t const> labels, std::uint32_t buckets, std::size_t tile_keys) {
    KEYSWAP_EXPECTS(tile_keys > 0);
    std::size_t const tiles = labels.size() / tile_keys + (labels.size() % tile_keys == 0 ? 0 : 1);
    std::vector<std::uint64_t> table(buckets * tiles, 0);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        KEYSWAP_EXPECTS(labels[i] < buckets);
        ++table[labels[i] * tiles + i / tile_keys];
    }
    return exclusive_sums(table);
}

} // namespace keyswap::model
