#pragma once

/// \file Words that the ranks of a sort exchange besides keys and histograms.

#include "kernels/runtime/run_context.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::kernels {

/// Bytes that a rank sends at once.
inline constexpr std::size_t rank_slice_bytes = std::size_t{1} << 18;

/// One word of every rank. \return [rank] \pre context.ranks \throws CudaFailure, RankLost
[[nodiscard]] std::vector<std::uint64_t> words_of_ranks(RunContext const& context,
                                                        GpuState const& gpu,
                                                        std::string_view step,
                                                        std::uint64_t own);

/// Fills host memory of which every rank has some bytes, and zeros in place of all others.
/// \param bytes of one size on all ranks \pre context.ranks \throws CudaFailure, RankLost
void merge_with_ranks(RunContext const& context,
                      GpuState const& gpu,
                      std::string_view step,
                      std::span<std::byte> bytes);

} // namespace keyswap::kernels
