#pragma once

/// \file What a multisplit is refused for, before any device is asked. Plain C++.

#include "kernels/multisplit.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>

namespace keyswap::kernels {

/// The method that carries the options out, or why none does and what to try.
[[nodiscard]] tl::expected<MultisplitMethod, std::string>
method_of(MultisplitOptions const& options, std::uint64_t count_max);

/// The error in one call's arrays; nullopt if they are fine.
[[nodiscard]] std::optional<std::string> problem_of(MultisplitOptions const& options,
                                                    MultisplitArrays const& arrays,
                                                    std::uint64_t count,
                                                    std::uint64_t count_max);

} // namespace keyswap::kernels
