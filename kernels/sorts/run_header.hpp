#pragma once

#include "kernels/sorts/sorter_state.hpp"
#include "traces/records/records.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// Trace header of a run of n keys, except for the caller's fields (see Sorter::describe).
/// Identical on all ranks except for properties of their machines.
[[nodiscard]] RunHeader run_header(SorterState const& state, std::uint64_t key_count);

} // namespace keyswap::kernels
