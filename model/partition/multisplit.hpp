#pragma once

#include "model/partition/multisplit_method.hpp"
#include "model/partition/partition_positions.hpp"
#include "model/partition/stable_partition.hpp"

#include <optional>
#include <string>
#include <vector>

namespace keyswap::model {

/// Digests of a multisplit's result, and its first error.
struct MultisplitOutcome {
    SequenceDigest output;
    std::optional<SequenceDigest> table; ///< of the scanned table; nullopt if the method has none
    std::string wrong;                   ///< the first violated property; empty if correct
};

/// Checks that positions are a permutation and that bucket j occupies
/// [starts[j], starts[j + 1]), in input order if stable. Independent of any method. \return the
/// first error, or empty
[[nodiscard]] std::string find_position_error(std::span<std::uint64_t const> positions,
                                              std::span<std::uint32_t const> labels,
                                              std::span<std::uint64_t const> starts,
                                              Stability stability);

/// Computes the method's positions, checks them, and moves the elements of `from` to `to`.
/// \param labels [n] bucket of each element, below `buckets`
/// \pre takes(method, buckets); `from` and `to` have n elements and do not overlap
template <class Image, class Value>
[[nodiscard]] MultisplitOutcome multisplit(MultisplitMethod const& method,
                                           std::span<std::uint32_t const> labels,
                                           std::uint32_t buckets,
                                           KeyArrays<Image, Value> const& from,
                                           KeyArrays<Image, Value> const& to) {
    KEYSWAP_EXPECTS(takes(method, buckets));
    KEYSWAP_EXPECTS(labels.size() == from.size() && from.size() == to.size());
    std::vector<std::uint64_t> const positions = method.positions(labels, buckets);
    MultisplitOutcome outcome;
    outcome.wrong = find_position_error(
        positions, labels, exclusive_sums(bucket_counts(labels, buckets)), method.stability);
    if (!outcome.wrong.empty()) {
        return outcome;
    }
    for (std::size_t i = 0; i < from.size(); ++i) {
        to.keys[positions[i]] = from.keys[i];
        if constexpr (!std::is_same_v<Value, NoValue>) {
            to.values[positions[i]] = from.values[i];
        }
    }
    outcome.output = sequence_digest(to);
    if (std::uint32_t const tile = method.tile_keys(buckets); tile > 0) {
        auto table = scanned_table(labels, buckets, tile);
        outcome.table = sequence_digest(KeyArrays<std::uint64_t, NoValue>{table, {}});
    }
    return outcome;
}

} // namespace keyswap::model
