#include "simulator/schedule.hpp"
#include "simulator/schedule_kinds.hpp"

#include <array>
#include <string>

namespace keyswap::simulator {

std::span<ScheduleKind const> schedule_kinds() {
    static std::array<ScheduleKind, 7> const kinds{{
        {"rmg-paper",
         "RMG sort as published: a copy a bucket, destinations ascending",
         "RMG paper, sections 3 and 4",
         schedule_rmg_paper},
        {"rmg-rotated",
         "RMG sort with destinations from g+1 on and adjacent copies merged",
         "RMG paper, section 3, with our copy order",
         schedule_rmg_rotated},
        {"p2p-merge",
         "chunks sorted, then swapped and merged between pairs of GPUs",
         "Tanasic et al. 2013",
         schedule_p2p_merge},
        {"het-merge",
         "chunks sorted on the GPUs, merged by the CPU",
         "Gowanlock and Karsin 2018",
         schedule_het_merge},
        {"one-gpu", "CUB's radix sort on one GPU", "RMG paper, section 5", schedule_one_gpu},
        {"cpu-gnu-parallel",
         "the GNU library's parallel multiway merge sort",
         "RMG paper, section 5",
         schedule_cpu_gnu_parallel},
        {"cpu-paradis",
         "PARADIS, a parallel radix sort",
         "RMG paper, section 5",
         schedule_cpu_paradis},
    }};
    return kinds;
}

Expected<ScheduleKind const*> find_schedule(std::string_view name) {
    std::string known;
    for (ScheduleKind const& kind : schedule_kinds()) {
        if (kind.name == name) {
            return &kind;
        }
        known += (known.empty() ? "" : ", ") + std::string(kind.name);
    }
    return tl::unexpected(
        InputError{"algorithm", "'" + std::string(name) + "' is not known", "known: " + known});
}

} // namespace keyswap::simulator
