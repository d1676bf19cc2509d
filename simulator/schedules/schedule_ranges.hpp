#pragma once

/// \file A sort of keys in host memory that exceed the GPUs' memory, as kernels/range_sorter.hpp
/// executes it: GPUs distribute blocks of elements among key ranges, from the input array to a
/// scratch array; then each range is uploaded, sorted and downloaded. In both steps one block or
/// range is uploaded while another is processed and a third is downloaded.

#include "simulator/schedules/schedule.hpp"

#include <cstdint>

namespace keyswap::simulator {

/// Memory of such a sort: twice the buffers and the scratch memory of a sort of `range_keys` keys,
/// memory to distribute a block, and a scratch array in host memory.
[[nodiscard]] SortMemory range_sort_memory(ScheduleKind const& kind,
                                           model::SortConfig const& config,
                                           std::uint64_t range_keys);

/// Most keys of a range that fit `device_bytes` on each GPU, at most 2^32 - 1.
[[nodiscard]] std::uint64_t range_keys_that_fit(ScheduleKind const& kind,
                                                model::SortConfig const& config,
                                                std::uint64_t device_bytes);

/// Most keys that GPUs distribute among such ranges.
[[nodiscard]] std::uint64_t range_sort_keys_max(std::uint64_t range_keys);

/// Builds the schedule, with each range sorted by `kind` as one of evenly distributed keys. Cores
/// copy ranges of a single value.
/// \param range_keys most keys of a range
/// \return an error if GPUs cannot distribute the keys, so that cores would: keys of 128 bits, more
/// than 256 ranges, a range that has to be divided again
/// \pre input and output are the same host memories
[[nodiscard]] Expected<Schedule>
schedule_ranges(ScheduleKind const& kind, ScheduleInput const& input, std::uint64_t range_keys);

} // namespace keyswap::simulator
