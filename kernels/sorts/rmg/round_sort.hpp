#pragma once

/// \file How variant `fast` sorts the buckets of a round: by levels, as a single GPU does; by LSD
/// digit steps for few keys or if equal keys must keep their order; or, for dense 32-bit keys, by
/// one step and a counting sort.

#include "kernels/sorts/rmg/fast_run.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::kernels {

/// A digit step of a GPU from buffer `from` to the other buffer.
[[nodiscard]] DigitStep step_between(GpuState const& gpu, int from);

/// Launches an unstable step if there are no values, else a stable one.
void launch_first_step(FastRun const& run, GpuState const& gpu, DigitStep const& step);

/// Queues the sort of all rounds' buckets, by the bits below the scatter's digit. Levels: waits for
/// all but the last one.
void sort_rounds(FastRun const& run, RoundSteps const& steps);

/// True if the bits below the scatter's digit are as many as counting supports.
[[nodiscard]] bool counting_fits(RunContext const& context);

/// Queues a sample of a GPU's keys for crowding, if a decision depends on it; available once
/// placement is done. \pre the stream's device is current
void queue_crowding_sample(RunContext const& context, GpuState const& gpu);

/// True if counting is faster than digit steps: there are about as many keys as counters, and no
/// block has far more of them than the others; the same on all ranks. \pre queue_crowding_sample()
/// was called
[[nodiscard]] bool use_counting(RunContext const& context,
                                std::vector<GpuState> const& gpus,
                                std::vector<FinalBucket> const& buckets);

/// How levels divide buckets; the same on all ranks. \pre queue_crowding_sample() was called
[[nodiscard]] LevelMethod level_method(RunContext const& context,
                                       std::vector<GpuState> const& gpus);

} // namespace keyswap::kernels
