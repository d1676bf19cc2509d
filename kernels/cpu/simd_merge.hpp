#pragma once

/// \file SIMD merge sort of CPUs: columns are sorted in registers, runs in the cache by a merge
/// network, and all runs are merged in pieces that fit the cache.
/// Source: Satish et al., Fast Sort on CPUs, GPUs and Intel MIC (2010), section 4.2.

#include "kernels/cpu/run_merge.hpp"
#include "traces/records/records.hpp"

namespace keyswap::kernels {

/// Sorts `elements`, stably where they have values; the result does not depend on threads or SIMD.
/// \param scratch [n], overlaps nothing
/// \param run_keys of a run that is sorted before any are merged
/// \param trace takes the sorted ranges and the merge; null = none
template <class Word, class Value>
void simd_merge_sort(ElementArrays<Word, Value> elements,
                     ElementArrays<Word, Value> scratch,
                     std::size_t run_keys,
                     SimdUse use,
                     unsigned threads,
                     TraceSink* trace);

} // namespace keyswap::kernels
