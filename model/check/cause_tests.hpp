#pragma once

/// \file The tests behind guess_cause(), one group a file. Each finds a cause or nothing.

#include "model/check/cause.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace keyswap::model {

using CauseFinding = Expected<std::optional<CauseGuess>>;

/// Both files of a wrong output.
template <class Word>
struct CauseFiles {
    StoredKeys const& input;
    StoredKeys const& output;
    ImageRule<Word> const& rule;
    Symptoms const& symptoms;
    unsigned thread_count;
};

/// Fewer keys than these may agree with a wrong hypothesis by chance.
inline constexpr std::uint64_t telling_keys_min = 16;

[[nodiscard]] constexpr std::uint32_t swapped_bytes(std::uint32_t word) {
    return __builtin_bswap32(word);
}
[[nodiscard]] constexpr std::uint64_t swapped_bytes(std::uint64_t word) {
    return __builtin_bswap64(word);
}
[[nodiscard]] constexpr uint128 swapped_bytes(uint128 word) {
    auto const [high, low] = key_image(word);
    return wide({swapped_bytes(low), swapped_bytes(high)});
}

/// Stretches of the output that nobody wrote, or that were overwritten.
template <class Word>
[[nodiscard]] CauseFinding find_unwritten_stretch(CauseFiles<Word> const& files);

/// The input's keys in another order than the asked one. \pre the output is a permutation
template <class Word>
[[nodiscard]] CauseFinding find_other_order(CauseFiles<Word> const& files);

/// Sorted chunks that stand side by side or in a wrong order. \pre the output is a permutation
template <class Word>
[[nodiscard]] CauseFinding find_sorted_chunks(CauseFiles<Word> const& files);

/// Single keys at the ends, or equal keys at the borders, of sorted runs.
/// \param runs where the output's sorted runs begin, but the first \pre as above
template <class Word>
[[nodiscard]] CauseFinding find_keys_at_borders(CauseFiles<Word> const& files,
                                                std::vector<std::uint64_t> const& runs);

/// Sorted runs whose keys would interleave. \pre as above
template <class Word>
[[nodiscard]] CauseFinding find_unmerged_runs(CauseFiles<Word> const& files,
                                              std::vector<std::uint64_t> const& runs);

/// One change that was done to every key. \pre the output is not a permutation
template <class Word>
[[nodiscard]] CauseFinding find_changed_keys(CauseFiles<Word> const& files);

/// Floats of a kind that all came out as one: NaNs, zeros, subnormal numbers. \pre as above
template <class Word>
[[nodiscard]] CauseFinding find_keys_made_alike(CauseFiles<Word> const& files);

/// Values that occur too often or too seldom, by a number that says something. \pre as above
template <class Word>
[[nodiscard]] CauseFinding find_counted_values(CauseFiles<Word> const& files);

/// Keys that the output lacks, or has twice, as they lie in the input. \pre the output has another
/// number of keys
template <class Word>
[[nodiscard]] CauseFinding find_missing_keys(CauseFiles<Word> const& files);

/// Keys of another width. \pre the output has twice or half as many keys
template <class Word>
[[nodiscard]] CauseFinding find_other_width(CauseFiles<Word> const& files);

} // namespace keyswap::model
