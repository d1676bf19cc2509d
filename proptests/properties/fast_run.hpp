#pragma once

/// \file A run as variant `fast` records it, whose copies are others than the model's.

#include "model/verify/recorded_run.hpp"

namespace keyswap::proptests {

/// Keys of 32 bits with values on three GPUs. by_source: several passes, one copy of each pair of
/// GPUs and one range of each GPU. by_round: one pass, a half of each GPU's buckets comes in the
/// first round.
/// \pre the layout is one of these two
[[nodiscard]] model::verify::RecordedRun fast_run(SwapLayout layout);

} // namespace keyswap::proptests
