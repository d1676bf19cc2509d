#pragma once

#include "simulator/cost/rate_profile.hpp"

#include <cstdint>

namespace keyswap::simulator {

/// Time of a sort by its law: a launch, and steps of equal duration.
struct SortLawTime {
    double launch_ms = 0.0;
    double steps = 0.0;
    double step_ms = 0.0;
    bool memory_binds = false; ///< true: memory bandwidth limits a step, not computation

    [[nodiscard]] double total_ms() const { return launch_ms + steps * step_ms; }
};

/// A step takes keys * cycles / (cores * clock). Radix sorts take ceil(key bits / digit bits)
/// steps, merge sorts log2 n. Wider keys and values lengthen a step: its moving part scales with
/// the bytes, or the whole step does once bytes exceed what memory can move meanwhile. Keys that
/// the cache cannot hold add spill_cycles.
/// Source: Fast Sort on CPUs, GPUs and Intel MIC, sections 3.2, 4.1 and 4.3.
/// \pre profile.cores > 0, profile.clock_GHz > 0
[[nodiscard]] SortLawTime sort_law_time(RateProfile const& profile,
                                        SortLaw const& law,
                                        std::uint64_t key_count,
                                        int key_bytes,
                                        int value_bytes);

} // namespace keyswap::simulator
