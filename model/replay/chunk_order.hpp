#pragma once

#include "model/replay/recorded_moves.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::model {

/// Position of a source's own part of a round, which it keeps, within its chunk.
struct OwnPartPosition {
    std::optional<int> round_before; ///< last round of sent keys that precedes it
    std::uint64_t offset = 0;        ///< orders own parts after the same round
    friend auto operator<=>(OwnPartPosition const&, OwnPartPosition const&) = default;
};
/// Derived from the offsets of the copies; by default directly after its own round.
[[nodiscard]] OwnPartPosition
place_of_own_part(std::span<CopyRecord const> copies, GpuId source, int round);

/// A GPU's chunk after partitioning, as the exchange reads it: by final bucket or, for layout
/// by_round, by round, then destination (starting with the next GPU), then bucket. Keys that remain
/// on the GPU are where their copies read them, before or after any round. \param chunk the GPU's
/// keys in input order
template <class Word>
[[nodiscard]] std::vector<Word>
ordered_chunk(RecordedMoves const& moves, GpuId gpu, std::span<Word const> chunk);

/// Gathers the pieces of each bucket within every round of a GPU's range, as the first step of its
/// sort does. No effect for other layouts.
/// \param arrived the GPU's memory after the exchange; nullopt: not written
template <class Word>
void gather_buckets(RecordedMoves const& moves, GpuId gpu, std::span<std::optional<Word>> arrived);

} // namespace keyswap::model
