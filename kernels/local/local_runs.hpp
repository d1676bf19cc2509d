#pragma once

/// \file Sorts of several GPUs' own ranges, side by side.

#include "kernels/exchange/key_swap.hpp"
#include "kernels/exchange/round_swap.hpp"
#include "kernels/exchange_plan/swap_segments.hpp"
#include "kernels/local/local_sort.hpp"
#include "kernels/runtime/sort_driver.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Sorts what GPUs take in the rounds of a swap, each GPU at its own pace: what is much in a round
/// for one is little for another. Afterwards keys (not images) lie in each GPU's buffer 1.
/// \param memories [gpus] \pre arrivals lie in buffer 0 once the step before a round is done
void sort_arrived(RunContext const& context,
                  std::vector<GpuState>& gpus,
                  std::span<LocalMemory const* const> memories,
                  std::span<SwapSegment const> segments,
                  std::uint32_t rounds,
                  LocalLevels levels,
                  RoundSteps const& steps);

/// Sorts all GPUs' ranges of a plan and turns images into keys, which lie in each GPU's current
/// buffer then and, where the call wants that, in host memory: copies back hide behind the sort of
/// later keys.
void sort_locally(SortCall const& call, SwapPlan const& plan, LocalLevels levels);

} // namespace keyswap::kernels
