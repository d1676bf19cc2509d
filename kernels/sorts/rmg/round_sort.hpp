#pragma once

/// \file How variant `fast` sorts the buckets of a round: level by level as one GPU does; or, where
/// the order of equal keys is asked for and for few keys, by digit steps, the lowest first; or
/// where 32-bit keys are dense by one step and a counting sort.

#include "kernels/sorts/rmg/fast_run.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::kernels {

/// A step from buffer `from` of a GPU to the other.
[[nodiscard]] DigitStep step_between(GpuState const& gpu, int from);

/// Runs a step whose equal digits need no order if there are no values.
void launch_first_step(FastRun const& run, GpuState const& gpu, DigitStep const& step);

/// Sorts a round's buckets on all GPUs, on the bits that the scatter has not read.
void sort_round(FastRun const& run, std::uint32_t round);
/// The same of all rounds where buckets are sorted by levels; it waits for all but the last level.
void sort_rounds_by_levels(FastRun const& run, RoundSteps const& steps);

/// Whether the bits that the scatter leaves are those that counting was made for.
[[nodiscard]] bool counting_fits(RunContext const& context);

/// Asks how crowded a GPU's keys are, where that decides something, in its stream; the answer is
/// there once the placement is. \pre the stream's device is the current one
void ask_for_crowding(RunContext const& context, GpuState const& gpu);

/// Whether counting is faster than digit steps: there are about as many keys as counters, and no
/// block has far more of them than the others; the same on all ranks. \pre the crowding was asked
/// for
[[nodiscard]] bool use_counting(RunContext const& context,
                                std::vector<GpuState> const& gpus,
                                std::vector<FinalBucket> const& buckets);

/// How buckets are divided that are sorted by levels; the same on all ranks. \pre likewise
[[nodiscard]] LevelMethod level_method(RunContext const& context,
                                       std::vector<GpuState> const& gpus);

} // namespace keyswap::kernels
