#pragma once

/// \file Known mistakes of sorts, and what the check of an output knows before it guesses one.

#include "model/check/image_scan.hpp"
#include "model/check/multiset_difference.hpp"
#include "model/keys/stored_keys.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace keyswap::model {

enum class Cause {
    untouched,        ///< the output is the input
    stale_block,      ///< a stretch of the output is the input's, in the input's order
    wrapped_count,    ///< so many keys were sorted, or so many equal ones kept, as few bits count
    left_out_key,     ///< all keys are sorted but the first or the last
    filled_block,     ///< a stretch was overwritten by one value
    other_order,      ///< sorted by another type, byte order, or place of NaNs or zeros
    exchanged_chunks, ///< sorted chunks stand in another order
    unmerged_chunks,  ///< every chunk is sorted, and they were not merged
    split_ties,       ///< equal keys stand on both sides of a place, in that of others
    doubled_keys,     ///< keys of the input are there more often, in the place of others
    missing_keys,     ///< the beginning or the end of the input is missing, or there twice
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
    HashSeed const& seed; ///< of all fingerprints
    Fingerprint input;
    Fingerprint output;
    std::uint64_t sorted_runs = 0; ///< of the output
    bool reversed = false;         ///< sorted in the other direction
    Direction direction = Direction::ascending;
    std::optional<std::uint32_t> gpu_count;
    MultisetDifference difference{}; ///< how often values occur before and after
};

} // namespace keyswap::model
