#pragma once

/// \file What a search is refused for, before any device is asked. Plain C++.

#include "kernels/shortest_paths.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace keyswap::kernels {

/// What is wrong with a graph or with the width of buckets; nothing where both are fine.
[[nodiscard]] std::optional<std::string> problem_of(PathGraph const& graph, std::uint32_t delta);

} // namespace keyswap::kernels
