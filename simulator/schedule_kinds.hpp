#pragma once

/// \file The functions behind the registry; each stands in the file of its name.

#include "simulator/schedule.hpp"

namespace keyswap::simulator {

/// Per-bucket copies in ascending order of destination on one stream a GPU, local ones too; one
/// sort bit more than needed; copy back beside the sort where a GPU has 4 to 128 groups to sort.
[[nodiscard]] Expected<Schedule> schedule_rmg_paper(ScheduleInput const& input);

/// As the paper's, but destinations from g+1 on, adjacent copies merged, no bit too many, and the
/// own part copied last.
[[nodiscard]] Expected<Schedule> schedule_rmg_rotated(ScheduleInput const& input);

/// Every GPU sorts its chunk; stages of pairwise swaps and local merges. \pre g is a power of two
[[nodiscard]] Expected<Schedule> schedule_p2p_merge(ScheduleInput const& input);

/// Every GPU sorts its chunk and copies it back; the CPU merges the chunks.
[[nodiscard]] Expected<Schedule> schedule_het_merge(ScheduleInput const& input);

/// Copy in, sort all bits, copy back. \pre g = 1
[[nodiscard]] Expected<Schedule> schedule_one_gpu(ScheduleInput const& input);

[[nodiscard]] Expected<Schedule> schedule_cpu_gnu_parallel(ScheduleInput const& input);
[[nodiscard]] Expected<Schedule> schedule_cpu_paradis(ScheduleInput const& input);

} // namespace keyswap::simulator
