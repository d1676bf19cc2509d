#pragma once

/// \file Concurrent sorts of several GPUs' own ranges.

#include "kernels/exchange/key_swap.hpp"
#include "kernels/exchange/round_swap.hpp"
#include "kernels/exchange_plan/swap_segments.hpp"
#include "kernels/local/local_sort.hpp"
#include "kernels/runtime/sort_driver.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Sorts the arrivals of a swap's rounds, each GPU at its own pace, as the size of a round varies
/// between GPUs. Afterwards each GPU's buffer 1 holds keys, not images.
/// \param memories [gpus] \param leading [gpus] LocalWork::leading; empty if unknown
/// \pre steps.before(i, r) makes buffer 0 hold the arrivals of round r
void sort_arrived(RunContext const& context,
                  std::vector<GpuState>& gpus,
                  std::span<LocalMemory const* const> memories,
                  std::span<SwapSegment const> segments,
                  std::uint32_t rounds,
                  LocalLevels levels,
                  RoundSteps const& steps,
                  std::span<LeadingCounts const> leading = {});

/// Sorts all GPUs' ranges of a plan and decodes images into keys in each GPU's current
/// buffer. If the call sorts host memory, also downloads them, overlapped with the sort of
/// later keys.
void sort_locally(SortCall const& call, SwapPlan const& plan, LocalLevels levels);

} // namespace keyswap::kernels
