#pragma once

/// \file How the enumerators of records are spelled in the text format.

#include "traces/records/records.hpp"

#include <string_view>

namespace keyswap {

/// "placed", "spanning" or "cut".
[[nodiscard]] std::string_view to_string(PlacementState state);
/// "before_swap", "after_swap" or "after_sort".
[[nodiscard]] std::string_view to_string(DigestStage stage);

[[nodiscard]] Expected<PlacementState> parse_placement_state(std::string_view text);
[[nodiscard]] Expected<DigestStage> parse_digest_stage(std::string_view text);

} // namespace keyswap
