#pragma once

/// \file Known failure modes of sorts, and what is observed of a wrong output.

#include "model/check/image_scan.hpp"
#include "model/check/multiset_difference.hpp"
#include "model/key_files/stored_keys.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace keyswap::model {

enum class Cause {
    untouched,        ///< the output equals the input
    stale_block,      ///< a range of the output equals the input at the same indices
    wrapped_count,    ///< a count was truncated to 32, 16 or 8 bits
    unsorted_end_key, ///< all keys but the first or the last are sorted
    filled_block,     ///< a range was overwritten with a single value
    other_order,      ///< sorted by another type, byte order, or order of NaNs or zeros
    exchanged_chunks, ///< sorted chunks are in the wrong order
    unmerged_chunks,  ///< every chunk is sorted, but they were not merged
    split_ties,       ///< equal keys are on both sides of a border, displacing others
    doubled_keys,     ///< some input keys occur too often, displacing others
    missing_keys,     ///< the start or end of the input is missing or duplicated
    changed_bits,     ///< the same bits of every key are flipped, cleared or set
    converted_keys,   ///< keys were converted to another type or byte order, or NaNs unified
    other_width       ///< the output's keys have twice or half the width
};

/// "untouched", "stale-block" ...
[[nodiscard]] std::string_view to_string(Cause cause);

struct CauseGuess {
    Cause cause = Cause::untouched;
    std::string sentence; ///< describes the appearance of the files
    friend bool operator==(CauseGuess const&, CauseGuess const&) = default;
};

/// Observations from which guess_cause() starts.
struct Symptoms {
    Fingerprint input;
    Fingerprint output;
    std::uint64_t sorted_runs = 0; ///< of the output
    bool reversed = false;         ///< sorted in the opposite direction
    Direction direction = Direction::ascending;
    std::optional<std::uint32_t> gpu_count;
    MultisetDifference difference{}; ///< occurrences of values before and after
};

} // namespace keyswap::model
