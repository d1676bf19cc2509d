#pragma once

/// \file SIMD merge sort for CPUs: sorts columns in registers and runs in the cache by a merge
/// network, then merges all runs in pieces that fit the cache.
/// Source: Satish et al., Fast Sort on CPUs, GPUs and Intel MIC (2010), section 4.2.

#include "kernels/cpu/run_merge.hpp"
#include "traces/records/records.hpp"

namespace keyswap::kernels {

/// Sorts `elements`, stably if they have values; threads and SIMD do not affect the result.
/// \param scratch [n], must not overlap
/// \param run_keys size of the runs that are sorted before merging
/// \param trace receives the sorted ranges and the merge; may be null
template <class Word, class Value>
void simd_merge_sort(ElementArrays<Word, Value> elements,
                     ElementArrays<Word, Value> scratch,
                     std::size_t run_keys,
                     SimdUse use,
                     unsigned threads,
                     TraceSink* trace);

} // namespace keyswap::kernels
