#pragma once

#include "model/sorts/merge/chunk_ranks.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace keyswap::model {

struct SortedSequence;

/// Ranks [range.begin, range.end) of a sorted sequence.
struct SortedRun {
    std::shared_ptr<SortedSequence> sequence;
    IndexRange range;
};

/// A sorted sequence that is not materialized: one GPU's sorted chunk, or the merge of runs.
/// Planning a merge sort needs only ranks, which it derives from histograms.
struct SortedSequence {
    std::optional<GpuId> chunk;  ///< the chunk of this GPU, or ...
    std::vector<SortedRun> runs; ///< ... the merge of these runs
    /// Cache of count_below(). Runs share sequences; without the cache the cost of a query would
    /// double with every stage of a merge sort.
    std::map<BucketPrefix, std::uint64_t> known_counts;
};

/// Number of keys in the sequence whose leading digits are below `prefix`.
[[nodiscard]] std::uint64_t
count_below(SortedSequence& sequence, BucketPrefix prefix, ChunkRanks& ranks);

/// The pivot of a P2P merge: number of keys from the first sequence among the `count` smallest of
/// both. Ties are resolved in favour of the first.
/// Source: Tanasic et al., GPGPU-6 2013, "pivot". \pre count <= number of keys in both
[[nodiscard]] std::uint64_t smallest_from_first(SortedSequence& first,
                                                SortedSequence& second,
                                                std::uint64_t count,
                                                ChunkRanks& ranks);

} // namespace keyswap::model
