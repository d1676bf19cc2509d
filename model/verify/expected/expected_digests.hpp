#pragma once

#include "model/sorts/rmg/plan.hpp"
#include "model/verify/expected/input_keys.hpp"
#include "traces/records/digest.hpp"

#include <optional>
#include <vector>

namespace keyswap::model::verify {

/// Digests of a run's keys and values; a value is the key's index in the input.
struct ExpectedDigests {
    MultisetDigest content;                         ///< of all keys
    std::vector<std::vector<MultisetDigest>> parts; ///< [gpu][bucket of plan.buckets]
};

/// Generates or reads all keys once, in constant memory.
/// \pre the plan was made for these keys
[[nodiscard]] ExpectedDigests expected_digests(Plan const& plan, InputKeys const& keys);

/// As above, for a plan that may have been made for other keys.
/// \returns nullopt if a key is not in any bucket of the plan, or the size of a bucket's part
/// differs from the plan
[[nodiscard]] std::optional<ExpectedDigests> digests_if_planned(Plan const& plan,
                                                                InputKeys const& keys);

/// Digest of all keys, for runs without buckets.
[[nodiscard]] MultisetDigest content_digest(InputKeys const& keys, SortShape const& shape);

} // namespace keyswap::model::verify
