#pragma once

/// \file Names of the records' enumerators in the text format.

#include "traces/records/records.hpp"

#include <string_view>

namespace keyswap {

/// "placed", "spanning" or "cut".
[[nodiscard]] std::string_view to_string(PlacementState state);
/// "before_swap", "after_swap", "after_sort" or "after_step".
[[nodiscard]] std::string_view to_string(DigestStage stage);
/// "left" or "right".
[[nodiscard]] std::string_view to_string(Tie tie);

[[nodiscard]] Expected<PlacementState> parse_placement_state(std::string_view text);
[[nodiscard]] Expected<DigestStage> parse_digest_stage(std::string_view text, int version);
[[nodiscard]] Expected<Tie> parse_tie(std::string_view text);

/// First version of the format with the stage, key type or operation.
[[nodiscard]] constexpr int first_version(DigestStage stage) {
    return stage == DigestStage::after_step ? 2 : 1;
}
[[nodiscard]] constexpr int first_version(KeyType type) {
    return key_bits(type) > 64 ? 2 : 1;
}

[[nodiscard]] constexpr int first_version(Operation operation) {
    return operation_version(operation);
}

} // namespace keyswap
