#pragma once

/// \file Faults of the CPU sorts for the checker to find. Only the copy of these sorts that is
/// compiled for tests (KEYSWAP_CPU_FAULTS) contains them; elsewhere has_fault() is constexpr false.
/// A missing store fence is not included: whether it shows depends on the processor.

namespace keyswap::kernels {

enum class CpuFault {
    none,
    buffer_tail_lost,       ///< elements in a partial line at the end of a run are not written
    line_over_bucket_start, ///< a line that contains the begin of a run is written completely
    network_swaps_missing,  ///< a merge network lacks its last comparators
    odd_run_dropped         ///< a run without a partner is not carried over to the next round
};

#if defined(KEYSWAP_CPU_FAULTS)
inline CpuFault planted_cpu_fault = CpuFault::none;
inline bool has_fault(CpuFault fault) {
    return planted_cpu_fault == fault;
}
#else
constexpr bool has_fault(CpuFault /*fault*/) {
    return false;
}
#endif

} // namespace keyswap::kernels
