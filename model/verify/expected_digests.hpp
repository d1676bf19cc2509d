#pragma once

#include "model/sorts/rmg/plan.hpp"
#include "model/verify/input_keys.hpp"
#include "traces/records/digest.hpp"

#include <optional>
#include <vector>

namespace keyswap::model::verify {

/// Digests of the keys of a run with their values, which are the keys' indices in the input.
struct ExpectedDigests {
    MultisetDigest content;                         ///< of all keys
    std::vector<std::vector<MultisetDigest>> parts; ///< [gpu][bucket of plan.buckets]
};

/// Makes or reads all keys once, in memory that does not grow with them.
/// \pre the plan is of these keys
[[nodiscard]] ExpectedDigests expected_digests(model::Plan const& plan, InputKeys const& keys);

/// The same for a plan that may be of other keys.
/// \returns nullopt if a key lies in no bucket of the plan, or a part of a bucket has another
///          number of keys than the plan says
[[nodiscard]] std::optional<ExpectedDigests> digests_if_planned(model::Plan const& plan,
                                                                InputKeys const& keys);

/// Of all keys alone, for runs that have no buckets.
[[nodiscard]] MultisetDigest content_digest(InputKeys const& keys, SortShape const& shape);

} // namespace keyswap::model::verify
