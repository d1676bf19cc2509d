#pragma once

#include "kernels/sorts/sorter_state.hpp"
#include "traces/records/records.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// The header of a trace of a run of n keys, all but what the caller knows (see Sorter::describe).
/// Of ranks it is the same on each, as far as their machines are.
[[nodiscard]] RunHeader run_header(SorterState const& state, std::uint64_t key_count);

} // namespace keyswap::kernels
