#pragma once

#include "model/sorts/rmg/plan.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::model {

/// Offset of each refined bucket's part in each GPU's memory: [pass][histogram][gpu].
/// A scatter orders a part by digit, so a sub-bucket starts after its siblings with smaller
/// digits.
[[nodiscard]] std::vector<std::vector<std::vector<std::uint64_t>>> part_offsets(Plan const& plan);

} // namespace keyswap::model
