#pragma once

/// \file What a search is refused for, before any device is asked. Plain C++.

#include "kernels/shortest_paths.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace keyswap::kernels {

/// The error in a graph or in the width of buckets; nullopt if both are fine.
[[nodiscard]] std::optional<std::string> problem_of(PathGraph const& graph, std::uint32_t delta);

} // namespace keyswap::kernels
