#include "simulator/cost/sort_law.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cmath>

namespace keyswap::simulator {

SortLawTime sort_law_time(RateProfile const& profile,
                          SortLaw const& law,
                          std::uint64_t key_count,
                          int key_bytes,
                          int value_bytes) {
    KEYSWAP_EXPECTS(profile.cores > 0.0 && profile.clock_GHz > 0.0);
    auto const keys = static_cast<double>(key_count);
    constexpr double bits_of_a_byte = 8.0;
    constexpr double word = 4.0;
    double const moved =
        1.0 + law.moves * (key_bytes / word - 1.0) + law.value * value_bytes / word;
    double const element_bytes = key_bytes + value_bytes;
    double const bound = law.bound_bytes > 0.0 ? element_bytes / law.bound_bytes : 0.0;
    // Input and output of a step share the cache.
    double const cached = law.cache_MB * 1e6 / std::max(1.0, 2.0 * keys * element_bytes);
    double const spilled = law.spill_cycles * std::max(0.0, 1.0 - cached);
    double const cycles = law.cycles * std::max(moved, bound) + spilled;

    SortLawTime time;
    time.launch_ms = law.launch_us * 1e-3;
    time.steps = law.digit_bits > 0.0 ? std::ceil(bits_of_a_byte * key_bytes / law.digit_bits)
                                      : std::log2(std::max(1.0, keys));
    time.step_ms = keys * cycles / (profile.cores * profile.clock_GHz) * 1e-6;
    time.memory_binds = bound > moved;
    return time;
}

} // namespace keyswap::simulator
