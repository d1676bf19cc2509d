#pragma once

#include "model/check/image_scan.hpp"
#include "model/key_files/stored_keys.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace keyswap::model {

/// A key value whose number of occurrences differs between the two files.
struct ValueCounts {
    uint128 image = 0; ///< order-preserving, ascending
    std::uint64_t in_input = 0;
    std::uint64_t in_output = 0;
    friend bool operator==(ValueCounts const&, ValueCounts const&) = default;
};

/// All values that occur more often in one file than in the other.
struct DifferenceSide {
    std::uint64_t key_count = 0; ///< number of surplus keys; a lower bound unless `complete`
    std::optional<ValueCounts> lowest;
    std::optional<ValueCounts> highest;
    std::uint64_t input_below = 0;    ///< input keys below `lowest`, i.e. its sorted index
    std::uint64_t input_between = 0;  ///< input keys strictly between `lowest` and `highest`
    std::uint64_t output_between = 0; ///< output keys strictly between them
};

/// Difference between the multisets of keys of input and output.
struct MultisetDifference {
    DifferenceSide lost;             ///< values that occur more often in the input
    DifferenceSide gained;           ///< values that occur more often in the output
    std::vector<ValueCounts> values; ///< some of the values, ascending; all if `complete`
    bool complete = true;            ///< false if too many values differ to examine them all
};

/// Two files with keys of one type, and how to read and compare them.
/// \pre the type has the width of Word
template <class Word>
struct ComparedFiles {
    StoredKeys const& input;
    StoredKeys const& output;
    ImageRule<Word> rule;
    HashSeed seed; ///< of all fingerprints
    unsigned thread_count;
};

/// Computes the difference in constant memory: histograms keys by the leading bits of their images,
/// then refines only the ranges that differ by further bits. Reads both files once for every 12
/// bits of a key and two more times.
template <class Word>
[[nodiscard]] Expected<MultisetDifference> multiset_difference(ComparedFiles<Word> const& files);

} // namespace keyswap::model
