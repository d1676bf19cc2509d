#pragma once

#include "simulator/cost/rate_profile.hpp"

#include <cstdint>

namespace keyswap::simulator {

/// A sort by its law: a launch, and steps that cost equally much.
struct SortLawTime {
    double launch_ms = 0.0;
    double steps = 0.0;
    double step_ms = 0.0;
    bool memory_binds = false; ///< rather than computation

    [[nodiscard]] double total_ms() const { return launch_ms + steps * step_ms; }
};

/// A step costs keys * cycles / (cores * clock). Radix sorts take ceil(key bits / digit bits)
/// steps, merge sorts log2 n. Wider keys and values make a step longer: by its part that moves
/// them, or by their bytes where those exceed what memory moves meanwhile. Keys beyond the cache
/// cost a step its spill.
/// Source: Fast Sort on CPUs, GPUs and Intel MIC, sections 3.2, 4.1 and 4.3.
/// \pre profile.cores and profile.clock_GHz above 0
[[nodiscard]] SortLawTime sort_law_time(RateProfile const& profile,
                                        SortLaw const& law,
                                        std::uint64_t key_count,
                                        int key_bytes,
                                        int value_bytes);

} // namespace keyswap::simulator
