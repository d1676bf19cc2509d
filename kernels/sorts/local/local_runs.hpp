#pragma once

/// \file Sorts of several GPUs' own ranges, side by side.

#include "kernels/sorts/local/local_sort.hpp"
#include "kernels/sorts/rmg/key_swap.hpp"
#include "kernels/sorts/rmg/swap_segments.hpp"
#include "kernels/sorts/sort_driver.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Runs sorts of different GPUs side by side until all are done. \param awaited called with the
/// number of a sort after each of its batches; may be empty
void run_together(std::deque<LocalSort>& sorts,
                  std::function<void(std::size_t)> const& awaited = {});

/// Sorts what GPUs take in a round of a swap, side by side. Afterwards keys (not images) lie in
/// each GPU's buffer 1. \param memories [gpus] \pre arrivals lie in buffer 0
void sort_arrived(RunContext const& context,
                  std::vector<GpuState>& gpus,
                  std::span<LocalMemory const* const> memories,
                  std::span<SwapSegment const> segments,
                  std::uint32_t round,
                  LocalLevels levels);

/// Sorts all GPUs' ranges of a plan and turns images into keys, which lie in each GPU's current
/// buffer then and, where the call wants that, in host memory: copies back hide behind the sort of
/// later keys.
void sort_locally(SortCall const& call, SwapPlan const& plan, LocalLevels levels);

} // namespace keyswap::kernels
