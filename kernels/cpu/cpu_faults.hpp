#pragma once

/// \file Faults of the CPU sorts for the checker to find. Only the copy of these sorts that is
/// compiled for tests (KEYSWAP_CPU_FAULTS) has them; elsewhere has_fault() is false at compile
/// time. A missing store fence has none: whether it shows is up to the processor.

namespace keyswap::kernels {

enum class CpuFault {
    none,
    buffer_tail_lost,       ///< what is left in a line when a run ends is not written
    line_over_bucket_start, ///< a line in which a run begins is written whole
    network_swaps_missing,  ///< a merge network lacks its last comparators
    odd_run_dropped         ///< a run without a partner is not carried into the next round
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
