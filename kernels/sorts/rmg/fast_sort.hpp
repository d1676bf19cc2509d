#pragma once

/// \file Variant `fast`: passes of histograms, one scatter into rounds, and the swap of later
/// rounds behind the sort of earlier ones (round_plan.hpp). Where GPUs share a value, their keys
/// swap by one copy a pair (pair_swap.hpp).

#include "kernels/exchange/key_swap.hpp"
#include "kernels/exchange_plan/digit_tree.hpp"
#include "kernels/exchange_plan/round_plan.hpp"
#include "kernels/runtime/sort_driver.hpp"

#include <optional>
#include <span>

namespace keyswap::kernels {

/// Lets every GPU send the next one something, whatever else it does: what crosses a link after 10
/// to 50 ms without traffic takes 140 us more (two H200), and each pair of GPUs has 18. Nothing for
/// few keys, or for ranks.
void wake_links(RunContext const& context, std::vector<GpuState> const& gpus);

/// Runs the passes of a sort of raw keys in each GPU's buffer 0, or on their way there, which only
/// count. Afterwards the GPUs' streams have waited for all that was on its way.
/// \pre context.key_count > 0
/// \return nothing, but for `first`, where keys need further passes that levels do not follow
struct FastPasses {
    FirstPass first;
    std::optional<Partition> partition;
    std::span<std::uint64_t const> halves{};      ///< see halved(); empty where not counted
    std::optional<DigitTree> tree{};              ///< where it has what the passes refined
    std::span<std::uint64_t const> tree_counts{}; ///< [g][tree->entries()]
    std::vector<std::uint64_t> sample{};          ///< images that it grew from, ascending
};
[[nodiscard]] FastPasses fast_passes(RunContext const& context, std::vector<GpuState>& gpus);

/// Sorts the keys, which lie as they came. \pre passes.partition
/// \return what each GPU owns afterwards
[[nodiscard]] std::vector<OwnershipRecord> fast_sort(SortCall const& call, FastPasses passes);

} // namespace keyswap::kernels
