#pragma once

/// \file Executes the records of a run on its keys: whatever a sort decided, the recorded moves
/// must yield the sorted input. No planner is involved, so this also judges runs whose decisions no
/// planner of the model would make.

#include "model/replay/recorded_moves.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::model {

/// Executes the moves on the positions of `key_count` unavailable keys. For any keys, a sort moves
/// each input position to exactly one position of its output.
/// \returns a description of lost or duplicated keys; nullopt if there are none
[[nodiscard]] std::optional<std::string> carry_out_positions(RecordedMoves const& moves,
                                                             std::uint64_t key_count);

/// Executes the moves on keys in host memory.
/// \tparam Word std::uint64_t, or uint128 for keys of 128 bits
/// \param keys [n] order-preserving images in input order
/// \returns a description of the first error; nullopt if the output is the sorted input
template <class Word>
[[nodiscard]] std::optional<std::string> carry_out(RecordedMoves const& moves,
                                                   std::vector<Word> keys);

} // namespace keyswap::model
