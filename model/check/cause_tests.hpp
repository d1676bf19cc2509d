#pragma once

/// \file Guesses why an output is wrong: guess_cause() and the tests behind it, one group per file.

#include "model/check/cause.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace keyswap::model {

/// The most likely cause; nullopt if none fits every key.
using CauseFinding = Expected<std::optional<CauseGuess>>;

/// Both files of a check that failed.
template <class Word>
struct CauseFiles : ComparedFiles<Word> {
    Symptoms const& symptoms;
};

/// Compares known failure modes with all keys of both files. Reads both a few more times, in
/// constant memory. A guess describes the files, not what the program did.
template <class Word>
[[nodiscard]] CauseFinding guess_cause(CauseFiles<Word> const& files);

/// Instantiates a test for all widths of keys. The further arguments are types of parameters.
#define KEYSWAP_INSTANTIATE_CAUSE_TEST(test, ...)                                                  \
    template CauseFinding test(CauseFiles<std::uint32_t> const& __VA_OPT__(, ) __VA_ARGS__);       \
    template CauseFinding test(CauseFiles<std::uint64_t> const& __VA_OPT__(, ) __VA_ARGS__);       \
    template CauseFinding test(CauseFiles<uint128> const& __VA_OPT__(, ) __VA_ARGS__)

/// With fewer keys than this, a wrong hypothesis may fit by chance.
inline constexpr std::uint64_t significant_keys_min = 16;

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

/// Ranges of the output that were never written, or were overwritten.
template <class Word>
[[nodiscard]] CauseFinding find_unwritten_stretch(CauseFiles<Word> const& files);

/// The input's keys in another order than requested. \pre the output is a permutation
template <class Word>
[[nodiscard]] CauseFinding find_other_order(CauseFiles<Word> const& files);

/// Sorted chunks, unmerged or in the wrong order. \pre the output is a permutation
template <class Word>
[[nodiscard]] CauseFinding find_sorted_chunks(CauseFiles<Word> const& files);

/// Single keys at the ends of sorted runs, or equal keys at their borders.
/// \param runs start of each sorted run of the output except the first \pre as above
template <class Word>
[[nodiscard]] CauseFinding find_keys_at_borders(CauseFiles<Word> const& files,
                                                std::vector<std::uint64_t> const& runs);

/// Sorted runs that would interleave when merged. \pre as above
template <class Word>
[[nodiscard]] CauseFinding find_unmerged_runs(CauseFiles<Word> const& files,
                                              std::vector<std::uint64_t> const& runs);

/// One change applied to every key. \pre the output is not a permutation
template <class Word>
[[nodiscard]] CauseFinding find_changed_keys(CauseFiles<Word> const& files);

/// A class of floats mapped to one value: NaNs, zeros or subnormals. \pre as above
template <class Word>
[[nodiscard]] CauseFinding find_collapsed_floats(CauseFiles<Word> const& files);

/// Values that occur too often or too rarely, by a characteristic number. \pre as above
template <class Word>
[[nodiscard]] CauseFinding find_miscounted_values(CauseFiles<Word> const& files);

/// A contiguous part of the input that is missing from the output or duplicated in it. \pre the
/// number of keys differs
template <class Word>
[[nodiscard]] CauseFinding find_missing_keys(CauseFiles<Word> const& files);

/// Keys of another width. \pre the output has twice or half as many keys
template <class Word>
[[nodiscard]] CauseFinding find_other_width(CauseFiles<Word> const& files);

} // namespace keyswap::model
