#pragma once

#include "model/replay/recorded_moves.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::model {

/// Where a source's own part of a round lies in its chunk, which no other GPU knows.
struct OwnPlace {
    std::optional<int> round_before; ///< the last of what is sent that lies before it
    std::uint64_t offset = 0;        ///< among own parts behind the same round
    friend auto operator<=>(OwnPlace const&, OwnPlace const&) = default;
};
/// As the offsets of the copies say; behind its own round where none does.
[[nodiscard]] OwnPlace
place_of_own_part(std::span<CopyRecord const> copies, GpuId source, int round);

/// A GPU's chunk as partitioning leaves it for the exchange: by final bucket, or, where the
/// exchange comes in rounds, by round, then destination (the next GPU first), then bucket; what
/// remains on the GPU lies where its copies say, before or behind any round.
/// \param chunk the GPU's keys in input order
template <class Word>
[[nodiscard]] std::vector<Word>
ordered_chunk(RecordedMoves const& moves, GpuId gpu, std::span<Word const> chunk);

/// Gathers the pieces of each bucket inside every round of a GPU's range, as the first step of its
/// sort does. Nothing to do in other layouts.
/// \param arrived the GPU's memory after the exchange; an empty place was not written
template <class Word>
void gather_buckets(RecordedMoves const& moves, GpuId gpu, std::span<std::optional<Word>> arrived);

} // namespace keyswap::model
