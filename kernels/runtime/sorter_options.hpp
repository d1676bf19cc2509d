#pragma once

/// \file Validation of a sorter's options, and sizes derived from them.

#include "kernels/runtime/run_context.hpp"
#include "kernels/sort.hpp"

#include <optional>

namespace keyswap::kernels {

/// The error in the options; nullopt if they are valid.
[[nodiscard]] std::optional<SortError> option_error(SortOptions const& options);

/// Chunk size (at least 1), tolerance and GPU count of a sort of n keys.
[[nodiscard]] PlacementRule placement_rule(SortOptions const& options, std::uint64_t key_count);

[[nodiscard]] ElementShape element_shape(SortOptions const& options);
[[nodiscard]] KeyShape key_shape(SortOptions const& options);

/// Bits of a child's index in a pass: of a bucket or a digit.
[[nodiscard]] int child_bits(SortOptions const& options);

} // namespace keyswap::kernels
