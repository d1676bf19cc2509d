#pragma once

/// \file A run as recorded by variant `fast`, whose copies differ from the model's.

#include "model/verify/recorded_run.hpp"

namespace keyswap::proptests {

/// A run of 32-bit keys with values on three GPUs. by_source: several passes, one copy per pair of
/// GPUs, one range per GPU. by_round: one pass; half of each GPU's buckets arrive in the first
/// round.
/// \pre the layout is one of these two
[[nodiscard]] model::verify::RecordedRun fast_run(SwapLayout layout);

} // namespace keyswap::proptests
