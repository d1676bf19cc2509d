#pragma once

/// \file What may have made an output wrong: known mistakes, each held against all keys of both
/// files. A guess says what the files look like, not what the program did.

#include "model/check/image_scan.hpp"
#include "model/keys/stored_keys.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace keyswap::model {

enum class Cause {
    untouched,        ///< the output is the input
    stale_block,      ///< a stretch of the output is the input's, in the input's order
    filled_block,     ///< a stretch was overwritten by one value
    other_order,      ///< sorted by another type, byte order, or place of NaNs or zeros
    exchanged_chunks, ///< sorted chunks stand in another order
    unmerged_chunks,  ///< every chunk is sorted, and they were not merged
    changed_bits,     ///< the same bits of every key are flipped, cleared or set
    converted_keys,   ///< every key went through another type or byte order, or NaNs became one
    other_width       ///< the output's keys are twice or half as wide
};

/// "untouched", "stale-block" ...
[[nodiscard]] std::string_view to_string(Cause cause);

struct CauseGuess {
    Cause cause = Cause::untouched;
    std::string sentence; ///< what the files look like
    friend bool operator==(CauseGuess const&, CauseGuess const&) = default;
};

/// What the check knows before somebody guesses.
struct Symptoms {
    Fingerprint input;
    Fingerprint output;
    std::uint64_t sorted_runs = 0; ///< of the output
    bool reversed = false;         ///< sorted in the other direction
    Direction direction = Direction::ascending;
    std::optional<std::uint32_t> gpu_count;
    /// Image of the one value of which the output has too many. Nothing where it is not one.
    std::optional<uint128> gained_image;
    std::uint64_t gained_count = 0; ///< at least so many of it
};

/// The likeliest cause that explains every key; nothing where none does. Reads both files a few
/// times more; memory does not grow with them. \pre the output is wrong, the type as wide as Word
template <class Word>
[[nodiscard]] Expected<std::optional<CauseGuess>> guess_cause(StoredKeys const& input,
                                                              StoredKeys const& output,
                                                              ImageRule<Word> const& rule,
                                                              Symptoms const& symptoms,
                                                              unsigned thread_count);

} // namespace keyswap::model
