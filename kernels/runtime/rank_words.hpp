#pragma once

/// \file Small data that the ranks of a sort exchange, other than keys and histograms.

#include "kernels/runtime/run_context.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace keyswap::kernels {

/// Most bytes that a rank sends at once.
inline constexpr std::size_t rank_slice_bytes = std::size_t{1} << 18;

/// Gathers every rank's bytes via the GPU's memory. \param own at most rank_slice_bytes, of the
/// same size on all ranks \return [rank][own.size()], valid until the next call \pre context.ranks
/// \throws CudaFailure, RankLost
[[nodiscard]] std::span<std::byte const> gather_slice(RunContext const& context,
                                                      GpuState const& gpu,
                                                      std::string_view step,
                                                      std::span<std::byte const> own);

/// One value of every rank. \return [rank] \pre context.ranks \throws CudaFailure, RankLost
template <class Value>
[[nodiscard]] std::vector<Value> gather_values(RunContext const& context,
                                               GpuState const& gpu,
                                               std::string_view step,
                                               Value const& own) {
    static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) <= rank_slice_bytes);
    auto const gathered = gather_slice(context, gpu, step, std::as_bytes(std::span{&own, 1}));
    std::vector<Value> values(gathered.size() / sizeof(Value));
    std::memcpy(values.data(), gathered.data(), gathered.size());
    return values;
}

/// Combines host memory by OR: each rank has filled some bytes and zeroed the rest.
/// \param bytes same size on all ranks \pre context.ranks \throws CudaFailure, RankLost
void combine_with_ranks(RunContext const& context,
                        GpuState const& gpu,
                        std::string_view step,
                        std::span<std::byte> bytes);

} // namespace keyswap::kernels
