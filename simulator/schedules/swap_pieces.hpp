#pragma once

/// \file What one scatter tells apart where a digit tree was counted: neighbouring buckets of one
/// GPU with few keys as one, and one with many in parts. All have about as many keys. Mirrors
/// kernels/sorts/rmg (swap_pieces.cpp).

#include "model/sorts/rmg/plan.hpp"
#include "simulator/schedules/crowding.hpp"
#include "simulator/schedules/digit_tree.hpp"

#include <optional>

namespace keyswap::simulator {

/// The plan with pieces in place of its buckets, as children of a further pass.
/// Nothing where borders between GPUs alone make too many.
[[nodiscard]] std::optional<model::Plan> plan_of_pieces(model::Plan const& plan,
                                                        CountedTree const& tree);

/// Whether much of a sample lies in few children of a piece's widest digit, so that levels of
/// digits would have to follow them. \param pieces of plan_of_pieces()
[[nodiscard]] bool crowd_within(model::Plan const& pieces, KeySample const& sample);

} // namespace keyswap::simulator
