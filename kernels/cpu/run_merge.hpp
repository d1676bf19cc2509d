#pragma once

/// \file Merges of sorted runs in host memory: rounds of two-way merges, by a SIMD network where
/// keys have no values and at most 64 bits.

#include "kernels/cpu/cpu_faults.hpp"
#include "kernels/cpu/element_arrays.hpp"
#include "kernels/cpu/merge_kernels.hpp"
#include "kernels/device/key_image.hpp"

#include <vector>

namespace keyswap::kernels {

/// The two operations for elements of one kind.
template <class Word, class Value>
class RunKernels {
  public:
    explicit RunKernels(SimdUse use);
    /// Sorts each run of column_keys elements; `to` may be `from`.
    void sort_columns(ElementArrays<Word, Value> const& from,
                      ElementArrays<Word, Value> const& to) const;
    /// Of equal keys those of the first run come first.
    void merge(ConstElements<Word, Value> const& first,
               ConstElements<Word, Value> const& second,
               ElementArrays<Word, Value> const& to) const;

  private:
    static constexpr bool has_network =
        !ElementArrays<Word, Value>::has_values && sizeof(Word) <= sizeof(std::uint64_t);
    MergeKernels<std::conditional_t<has_network, Word, std::uint32_t>> network_;
};

/// Sorted runs that become one, elsewhere.
template <class Word, class Value>
struct RunGroup {
    std::vector<ConstElements<Word, Value>> runs;
    ElementArrays<Word, Value> to; ///< as long as all runs, overlaps none
};

/// Merges every group. Groups are cut into pieces of the merged order that fit a core's cache;
/// threads take pieces by turns, and merge them in rounds of two runs each, so that memory is read
/// and written once whatever the number of runs.
/// \param code keys that go to `to` are decoded by it; the identity leaves images
/// \param threads the result does not depend on it
template <class Word, class Value>
void merge_groups(std::vector<RunGroup<Word, Value>> const& groups,
                  RunKernels<Word, Value> const& kernels,
                  ImageCode code,
                  unsigned threads);

} // namespace keyswap::kernels
