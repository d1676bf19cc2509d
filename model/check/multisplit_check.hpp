#pragma once

/// \file Checks that an output file contains the keys of an input file ordered by bucket.

#include "model/check/output_check.hpp"
#include "model/key_files/stored_keys.hpp"
#include "model/partition/bucket_rule_text.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::model {

/// Properties that the output of a multisplit must have.
struct MultisplitExpectation {
    ParsedFunction given;
    Stability stability = Stability::unstable;        ///< stable: each bucket is in input order
    std::optional<std::vector<std::uint64_t>> starts; ///< as reported by the program under test;
                                                      ///< not checked if nullopt
    /// Called with the number of keys read since the last call. Not called while a wrong output is
    /// read again for diagnosis.
    std::function<void(std::uint64_t more)> on_keys_read;
};

/// A reported start that differs from the number of keys in all previous buckets.
struct StartFinding {
    std::uint32_t bucket = 0;
    std::uint64_t promised = 0;
    std::uint64_t right = 0;
    friend bool operator==(StartFinding const&, StartFinding const&) = default;
};

/// A key in another bucket's range.
struct PlaceFinding {
    std::uint64_t index = 0; ///< index in the output
    std::string key;
    std::uint32_t bucket = 0;       ///< bucket of the key
    std::uint32_t place_bucket = 0; ///< bucket whose range contains the index
    friend bool operator==(PlaceFinding const&, PlaceFinding const&) = default;
};

/// The first key of a bucket that violates the input order.
struct StabilityFinding {
    std::uint32_t bucket = 0;
    std::uint64_t index = 0; ///< index in the output
    std::string key;
    std::string key_in_order;
    friend bool operator==(StabilityFinding const&, StabilityFinding const&) = default;
};

/// All findings; optionals are nullopt and lists empty if the output is correct.
struct MultisplitCheck {
    KeyType key_type = KeyType::u32;
    std::uint64_t input_count = 0;
    std::uint64_t output_count = 0;
    std::vector<std::uint64_t> starts; ///< [m] correct starts, computed from the input
    std::optional<std::uint64_t> wrong_start_count;
    std::optional<StartFinding> wrong_start;
    std::vector<ValueFinding> values; ///< at most values_shown_max keys with different numbers of
                                      ///< occurrences
    bool permutation = true;
    std::optional<PlaceFinding> misplaced;
    std::optional<std::uint32_t> wrong_bucket; ///< first bucket with wrong contents
    std::optional<StabilityFinding> unstable;  ///< only checked if stability is promised and the
                                               ///< buckets are correct

    [[nodiscard]] bool holds() const {
        return permutation && !wrong_start_count && !wrong_start && !misplaced && !wrong_bucket &&
               !unstable;
    }
};

/// Reads both files once sequentially, and again if the output is wrong. Memory is proportional to
/// the number of buckets (about 100 B each).
/// \pre both files have the same key type, for which the function is valid; a label rule has one
/// label for each input key
[[nodiscard]] Expected<MultisplitCheck> check_multisplit(StoredKeys const& input,
                                                         StoredKeys const& output,
                                                         MultisplitExpectation const& promise);

/// The findings, one sentence each; a single sentence if the output is correct.
[[nodiscard]] std::vector<std::string> sentences(MultisplitCheck const& check);

} // namespace keyswap::model
