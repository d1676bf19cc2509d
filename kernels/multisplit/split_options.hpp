#pragma once

/// \file Validation of multisplit options and arrays before any use of a device. Plain C++.

#include "kernels/multisplit.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>

namespace keyswap::kernels {

/// The method to use; as error, why none supports the options and what to try.
[[nodiscard]] tl::expected<MultisplitMethod, std::string>
method_of(MultisplitOptions const& options, std::uint64_t count_max);

/// The error in one call's arrays; nullopt if they are valid.
[[nodiscard]] std::optional<std::string> problem_of(MultisplitOptions const& options,
                                                    MultisplitArrays const& arrays,
                                                    std::uint64_t count,
                                                    std::uint64_t count_max);

} // namespace keyswap::kernels
