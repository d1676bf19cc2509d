#pragma once

#include "traces/records/records.hpp"

#include <cstdint>

namespace keyswap::model::verify {

/// True if the time belongs to a GPU of the run, does not end before it begins, and is within 73
/// years of zero. A wrong time does not affect the output.
[[nodiscard]] inline bool is_plausible(PhaseTimeRecord const& time, std::uint32_t gpu_count) {
    constexpr std::int64_t limit_ns = std::int64_t{1} << 61; // 73 years; sums fit in 64 bits
    return time.gpu.value < gpu_count && time.pass >= 0 && time.begin_ns > -limit_ns &&
           time.begin_ns <= time.end_ns && time.end_ns < limit_ns;
}

} // namespace keyswap::model::verify
