#pragma once

/// \file The buffered radix sort for CPUs: stable LSD counting sorts, one per digit. In each step
/// every thread counts the digits of its contiguous block; a scan over (digit, thread) gives each
/// thread its runs; elements are moved through a buffer of one cache line per digit. Source: Satish
/// et al., Fast Sort on CPUs, GPUs and Intel MIC (2010), section 4.1.

#include "kernels/cpu/element_arrays.hpp"
#include "traces/records/records.hpp"

#include <vector>

namespace keyswap::kernels {

/// Sorts `elements` stably; the result does not depend on the number of threads.
/// \param scratch [n], must not overlap
/// \param trace receives the steps' functions, then a histogram and partition per step; may be null
template <class Word, class Value>
void buffered_radix_sort(ElementArrays<Word, Value> elements,
                         ElementArrays<Word, Value> scratch,
                         std::vector<DigitBuckets> const& steps,
                         unsigned threads,
                         TraceSink* trace);

} // namespace keyswap::kernels
