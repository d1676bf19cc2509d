#pragma once

/// \file The two merge sorts that RMG sort is measured against: each GPU sorts its chunk, then P2P
/// sort merges by swaps between GPUs, HET sort on the CPU. Any number of GPUs, chunks of any size.
/// Source: Maltenberger et al.: Evaluating Multi-GPU Sorting with Modern Interconnects, SIGMOD
/// 2022.

#include "kernels/sorts/rmg/key_swap.hpp"

#include <optional>
#include <vector>

namespace keyswap::kernels {

/// Sorts the chunks of raw keys in every rank's current place; each GPU keeps as many as it had.
/// Copies the result to the host's memory, if there is any.
/// \pre the GPUs can read each other's memory
[[nodiscard]] std::vector<OwnershipRecord> p2p_merge_sort(RunContext const& context,
                                                          std::vector<Rank>& ranks,
                                                          std::optional<HostArrays> const& host);

/// Sorts chunks on the GPUs, copies them to `staging` and merges them on the CPU into `host`.
/// \param staging pinned, for all keys and values; overlaps no array of `host`
/// \return the sorted runs: what each GPU sorted
[[nodiscard]] std::vector<OwnershipRecord> het_merge_sort(RunContext const& context,
                                                          std::vector<Rank>& ranks,
                                                          HostArrays const& staging,
                                                          HostArrays const& host);

} // namespace keyswap::kernels
