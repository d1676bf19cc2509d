#pragma once

/// \file Carries the records of a run out on its keys: whatever a sort decided, doing what it says
/// must give the sorted input. No planner is asked, so that this also judges runs whose decisions
/// no planner of the model makes.

#include "model/replay/recorded_moves.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::model {

/// Carries the moves out on the positions of `key_count` keys that are missing. Whatever the keys
/// are, a sort moves each of them to one place of its output.
/// \returns why keys are lost or doubled; nullopt if none is
[[nodiscard]] std::optional<std::string> carry_out_positions(RecordedMoves const& moves,
                                                             std::uint64_t key_count);

/// Carries the moves out on keys in host memory.
/// \tparam Word std::uint64_t, or uint128 for keys that need it
/// \param keys [n] order-preserving images in input order
/// \returns why the output is not the sorted input; nullopt if it is
template <class Word>
[[nodiscard]] std::optional<std::string> carry_out(RecordedMoves const& moves,
                                                   std::vector<Word> keys);

} // namespace keyswap::model
