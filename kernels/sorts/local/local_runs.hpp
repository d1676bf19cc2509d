#pragma once

/// \file Sorts of several GPUs' own ranges, side by side.

#include "kernels/sorts/local/local_sort.hpp"

#include <deque>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Runs sorts of different GPUs side by side until all are done.
void run_together(std::deque<LocalSort>& sorts);

/// Sorts all GPUs' ranges and turns images into keys, which lie in each GPU's current buffer then.
/// \param ranges by GPU
void sort_locally(RunContext const& context,
                  std::vector<GpuState>& gpus,
                  std::span<SortRangeRecord const> ranges,
                  LocalLevels levels);

/// Queues the copies of every GPU's range to the host, which lies at the beginning of its current
/// buffer.
void copy_ranges_back(RunContext const& context,
                      std::vector<GpuState> const& gpus,
                      std::span<OwnershipRecord const> ownership,
                      HostArrays const& host);
} // namespace keyswap::kernels
