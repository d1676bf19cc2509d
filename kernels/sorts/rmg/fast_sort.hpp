#pragma once

/// \file Variant `fast`: one pass of histograms, a scatter into rounds, and the swap of later
/// rounds behind the sort of earlier ones (see round_plan.hpp).

#include "kernels/sorts/rmg/key_swap.hpp"
#include "kernels/sorts/rmg/round_plan.hpp"

#include <optional>

namespace keyswap::kernels {

/// Most rounds that any plan has.
inline constexpr std::size_t rounds_max = 6;

/// Whether sorts of this shape and capacity can be divided into segments at all.
[[nodiscard]] bool fast_is_possible(KeyShape shape, std::uint64_t capacity);

/// Tiles, parts, bins and look-back words that a GPU needs at most.
struct FastSizes {
    std::size_t tiles = 0;
    std::size_t parts = 0;
    std::size_t bins = 0;
    std::size_t lookback_bytes = 0;
};
[[nodiscard]] FastSizes
fast_sizes(ElementShape shape, KeyShape keys, std::uint64_t capacity, std::uint32_t gpu_count);

/// The first pass on raw keys in each GPU's buffer 0, which are not moved.
/// \pre context.key_count > 0
[[nodiscard]] FirstPass fast_first_pass(RunContext const& context,
                                        std::vector<GpuState> const& gpus);

/// Sorts raw keys in each GPU's buffer 0. \pre first.places_all()
/// \return what each GPU owns afterwards
[[nodiscard]] std::vector<OwnershipRecord> fast_sort(RunContext const& context,
                                                     std::vector<GpuState>& gpus,
                                                     FirstPass first,
                                                     std::uint64_t capacity,
                                                     std::optional<HostArrays> const& host);

} // namespace keyswap::kernels
