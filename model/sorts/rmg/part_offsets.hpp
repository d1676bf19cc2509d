#pragma once

#include "model/sorts/rmg/plan.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::model {

/// Where the part of each refined bucket starts in each GPU's memory: [pass][histogram][gpu].
/// Digits ascend inside a part once it is scattered, so a sub-bucket starts after its smaller
/// siblings.
[[nodiscard]] std::vector<std::vector<std::vector<std::uint64_t>>> part_offsets(Plan const& plan);

} // namespace keyswap::model
