#pragma once

#include "model/check/image_scan.hpp"
#include "model/keys/stored_keys.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace keyswap::model {

/// A key value that the two files do not hold equally often.
struct ValueCounts {
    uint128 image = 0; ///< order-preserving, ascending
    std::uint64_t in_input = 0;
    std::uint64_t in_output = 0;
    friend bool operator==(ValueCounts const&, ValueCounts const&) = default;
};

/// All values that one file holds more often than the other.
struct DifferenceSide {
    std::uint64_t key_count = 0; ///< by how many keys; a lower bound unless `complete`
    std::optional<ValueCounts> lowest;
    std::optional<ValueCounts> highest;
    std::uint64_t input_below = 0;    ///< input keys below `lowest`: its place in sorted order
    std::uint64_t input_between = 0;  ///< input keys above `lowest` and below `highest`
    std::uint64_t output_between = 0; ///< output keys there
};

/// What must be added to and taken from a file to get the other one.
struct MultisetDifference {
    DifferenceSide lost;             ///< more often in the input
    DifferenceSide gained;           ///< more often in the output
    std::vector<ValueCounts> values; ///< some of them, ascending; all where `complete`
    bool complete = true;            ///< false if too many values differ to look at each
};

/// Finds it in memory that does not grow with the files: keys are counted by the leading bits of
/// their images, and only ranges that differ are counted again by more bits. Reads both files once
/// for every 12 bits of a key and twice more.
/// \pre both files have keys of one type, as wide as Word
template <class Word>
[[nodiscard]] Expected<MultisetDifference> multiset_difference(StoredKeys const& input,
                                                               StoredKeys const& output,
                                                               ImageRule<Word> const& rule,
                                                               HashSeed const& seed,
                                                               unsigned thread_count);

} // namespace keyswap::model
