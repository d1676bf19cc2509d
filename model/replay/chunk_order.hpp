#pragma once

#include "model/replay/carry_out.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::model {

/// A GPU's chunk as partitioning leaves it for the exchange: by final bucket, or, where the
/// exchange comes in rounds, by round, then destination (the next GPU first, the source itself
/// last), then bucket.
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
