#pragma once

/// \file Validation of a graph before any use of a device. Plain C++.

#include "kernels/shortest_paths.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace keyswap::kernels {

/// The error in a graph or a bucket width; nullopt if both are valid.
[[nodiscard]] std::optional<std::string> problem_of(PathGraph const& graph, std::uint32_t delta);

} // namespace keyswap::kernels
