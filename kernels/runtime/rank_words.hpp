#pragma once

/// \file Small data that the ranks of a sort exchange, other than keys and histograms.

#include "kernels/runtime/run_context.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::kernels {

/// Most bytes that a rank sends at once.
inline constexpr std::size_t rank_slice_bytes = std::size_t{1} << 18;

/// One word of every rank. \return [rank] \pre context.ranks \throws CudaFailure, RankLost
[[nodiscard]] std::vector<std::uint64_t> gather_words(RunContext const& context,
                                                      GpuState const& gpu,
                                                      std::string_view step,
                                                      std::uint64_t own);

/// Combines host memory by OR: each rank has filled some bytes and zeroed the rest.
/// \param bytes same size on all ranks \pre context.ranks \throws CudaFailure, RankLost
void combine_with_ranks(RunContext const& context,
                        GpuState const& gpu,
                        std::string_view step,
                        std::span<std::byte> bytes);

} // namespace keyswap::kernels
