#pragma once

/// \file Variant `fast`: counting passes, one scatter into rounds, and the swap of later rounds
/// overlapped with the sort of earlier ones (round_plan.hpp). If GPUs share a value, the swap uses
/// one copy per pair (pair_swap.hpp).

#include "kernels/exchange/key_swap.hpp"
#include "kernels/exchange_plan/digit_tree.hpp"
#include "kernels/exchange_plan/round_plan.hpp"
#include "kernels/runtime/sort_driver.hpp"

#include <optional>
#include <span>

namespace keyswap::kernels {

/// Queues a small copy from every GPU to the next, overlapped with other work: the first transfer
/// after 10 to 50 ms without traffic takes 140 us longer (two H200; each pair of GPUs has 18
/// links). No effect for few keys or with ranks.
void wake_links(RunContext const& context, std::vector<GpuState> const& gpus);

/// Result of fast_passes(), which counts raw keys in each GPU's buffer 0 or being uploaded to it.
/// Afterwards the GPUs' streams have waited for the upload of all keys, but not of values.
/// \pre context.key_count > 0
/// partition: nullopt if there are further passes that levels cannot use; then only `first` is set
struct FastPasses {
    PlacedPass first;
    std::optional<Partition> partition;
    std::span<std::uint64_t const> halves{};      ///< see halved(); empty if not counted
    std::optional<DigitTree> tree{};              ///< set if it contains all refined buckets
    std::span<std::uint64_t const> tree_counts{}; ///< [g][tree->entries()]
    std::vector<std::uint64_t> sample{};          ///< the tree's sample: images, ascending
    bool has_leading_counts = false;              ///< DigitCounts::has_leading_counts()
};
[[nodiscard]] FastPasses fast_passes(RunContext const& context, std::vector<GpuState>& gpus);

/// Sorts the keys, which the passes have not moved. \pre passes.partition
/// \return ownership of the result by GPU
[[nodiscard]] std::vector<OwnershipRecord> fast_sort(SortCall const& call, FastPasses passes);

} // namespace keyswap::kernels
