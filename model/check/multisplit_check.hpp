#pragma once

/// \file Is an output file the keys of an input file, ordered by bucket? If not, what is wrong.

#include "model/check/output_check.hpp"
#include "model/keys/stored_keys.hpp"
#include "model/partition/bucket_rule_text.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::model {

/// What a multisplit promises.
struct MultisplitPromise {
    GivenFunction given;
    Stability stability = Stability::unstable; ///< stable: keys of a bucket keep the input's order
    std::optional<std::vector<std::uint64_t>> starts; ///< promised by the program that split; not
                                                      ///< checked where there are none
    /// Called with the number of keys read since the last call. Not called for the further readings
    /// that find out what is wrong.
    std::function<void(std::uint64_t more)> on_keys_read;
};

/// A start that is not the number of keys in the buckets before.
struct StartFinding {
    std::uint32_t bucket = 0;
    std::uint64_t promised = 0;
    std::uint64_t right = 0;
    friend bool operator==(StartFinding const&, StartFinding const&) = default;
};

/// A key in another bucket's place.
struct PlaceFinding {
    std::uint64_t index = 0; ///< in the output
    std::string key;
    std::uint32_t bucket = 0;       ///< of the key
    std::uint32_t place_bucket = 0; ///< that should stand at the index
    friend bool operator==(PlaceFinding const&, PlaceFinding const&) = default;
};

/// The first key of a bucket that is not the one which the input's order has there.
struct StabilityFinding {
    std::uint32_t bucket = 0;
    std::uint64_t index = 0; ///< in the output
    std::string key;
    std::string key_in_order;
    friend bool operator==(StabilityFinding const&, StabilityFinding const&) = default;
};

/// What was found; everything is absent or empty where all is well.
struct MultisplitCheck {
    KeyType key_type = KeyType::u32;
    std::uint64_t input_count = 0;
    std::uint64_t output_count = 0;
    std::vector<std::uint64_t> starts; ///< [m] as the input has them
    std::optional<std::uint64_t> wrong_start_count;
    std::optional<StartFinding> wrong_start;
    std::vector<ValueFinding> values; ///< at most values_shown_max keys that the files do not hold
                                      ///< equally often
    bool permutation = true;
    std::optional<PlaceFinding> misplaced;
    std::optional<std::uint32_t> wrong_bucket; ///< first that holds keys of another
    std::optional<StabilityFinding> unstable;  ///< looked for where stability is promised and
                                               ///< buckets hold

    [[nodiscard]] bool holds() const {
        return permutation && !wrong_start_count && !wrong_start && !misplaced && !wrong_bucket &&
               !unstable;
    }
};

/// Reads both files once from front to back, and again where something is wrong. Memory grows with
/// the number of buckets alone (about 100 B each).
/// \pre both hold keys of one type for which the function is valid; labels are as many as input
/// keys
[[nodiscard]] Expected<MultisplitCheck> check_multisplit(StoredKeys const& input,
                                                         StoredKeys const& output,
                                                         MultisplitPromise const& promise);

/// The findings, one sentence each; a single one where all is well.
[[nodiscard]] std::vector<std::string> sentences(MultisplitCheck const& check);

} // namespace keyswap::model
