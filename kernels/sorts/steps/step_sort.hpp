#pragma once

/// \file Sorts by stable steps over all keys by a digit each, the lowest first. They differ in the
/// method of a step and in the digits. Keys stay as they are: a step encodes what it reads.

#include "kernels/multisplit.hpp"
#include "kernels/runtime/sort_driver.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace keyswap::kernels {

/// How a sort does its steps.
struct StepSchedule {
    MultisplitMethod method = MultisplitMethod::fused;
    std::vector<DigitBuckets> digits; ///< in the order of the steps; all but the last of one width
};

/// What its memory takes of `capacity` keys.
[[nodiscard]] SortScratch
step_scratch(StepSchedule const& schedule, SortOptions const& options, std::uint64_t capacity);

/// \throws CudaFailure
[[nodiscard]] std::unique_ptr<SortMemory> make_step_memory(StepSchedule const& schedule,
                                                           SortOptions const& options,
                                                           GpuId gpu,
                                                           std::uint64_t capacity);

/// Sorts the keys of the first GPU, whose memory make_step_memory made of the same schedule.
/// \throws CudaFailure
[[nodiscard]] SortOutcome sort_by_steps(StepSchedule const& schedule, SortCall const& call);

/// A driver's functions from the schedule that options make.
template <StepSchedule (*schedule_of)(SortOptions const&)>
struct StepDriver {
    static SortScratch scratch(SortOptions const& options, std::uint64_t capacity) {
        return step_scratch(schedule_of(options), options, capacity);
    }
    static std::unique_ptr<SortMemory>
    memory(SortOptions const& options, GpuId gpu, std::uint64_t capacity) {
        return make_step_memory(schedule_of(options), options, gpu, capacity);
    }
    static SortOutcome sort(SortCall const& call) {
        return sort_by_steps(schedule_of(call.options), call);
    }
};

} // namespace keyswap::kernels
