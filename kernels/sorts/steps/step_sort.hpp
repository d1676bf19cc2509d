#pragma once

/// \file Sorts by stable LSD steps over all keys, one digit per step. Sorts differ in the method of
/// a step and in the digits. Keys are never encoded: a step encodes only what it reads.

#include "kernels/multisplit.hpp"
#include "kernels/runtime/sort_driver.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace keyswap::kernels {

/// The steps of a sort.
struct StepSchedule {
    MultisplitMethod method = MultisplitMethod::fused;
    std::vector<DigitBuckets> digits; ///< in step order; all but the last have the same width
};

/// Memory of the steps for `capacity` keys.
[[nodiscard]] SortScratch
step_scratch(StepSchedule const& schedule, SortOptions const& options, std::uint64_t capacity);

/// \throws CudaFailure
[[nodiscard]] std::unique_ptr<SortMemory> make_step_memory(StepSchedule const& schedule,
                                                           SortOptions const& options,
                                                           GpuId gpu,
                                                           std::uint64_t capacity);

/// Sorts the keys of the first GPU, whose memory was made by make_step_memory with this schedule.
/// \throws CudaFailure
[[nodiscard]] SortOutcome sort_by_steps(StepSchedule const& schedule, SortCall const& call);

/// A driver's functions for the schedule that schedule_of(options) returns.
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
