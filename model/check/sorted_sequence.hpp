#pragma once

#include "model/keys/chunk_ranks.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace keyswap::model {

struct SortedSequence;

/// A contiguous part of a sorted sequence: ranks [range.begin, range.end) of it.
struct SortedRun {
    std::shared_ptr<SortedSequence> sequence;
    IndexRange range;
};

/// Keys in sorted order that nobody has in memory: one GPU's sorted chunk, or the merge of runs.
/// Planning a merge sort needs only ranks, which such a sequence finds from histograms.
struct SortedSequence {
    std::optional<GpuId> chunk;  ///< a chunk of the input, or ...
    std::vector<SortedRun> runs; ///< ... the merge of these
    /// Answers given before: runs share sequences, so that without them the cost of one answer
    /// would double with every stage of a merge sort.
    std::map<BucketPrefix, std::uint64_t> known_counts;
};

/// Keys of the sequence whose first digits are below `prefix`.
[[nodiscard]] std::uint64_t
count_below(SortedSequence& sequence, BucketPrefix prefix, ChunkRanks& ranks);

/// How many of the `count` smallest keys of two sequences come from the first one; of equal keys
/// those of the first come first. \pre count <= keys of both together
[[nodiscard]] std::uint64_t smallest_from_first(SortedSequence& first,
                                                SortedSequence& second,
                                                std::uint64_t count,
                                                ChunkRanks& ranks);

} // namespace keyswap::model
