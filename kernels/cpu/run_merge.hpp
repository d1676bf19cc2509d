#pragma once

/// \file Merges of sorted runs in host memory: rounds of two-way merges, by a SIMD network for keys
/// of at most 64 bits without values.

#include "kernels/cpu/cpu_faults.hpp"
#include "kernels/cpu/element_arrays.hpp"
#include "kernels/cpu/merge_kernels.hpp"
#include "kernels/device/key_image.hpp"

#include <vector>

namespace keyswap::kernels {

/// The two operations of merge sort for one element type.
template <class Word, class Value>
class RunKernels {
  public:
    explicit RunKernels(SimdUse use);
    /// Sorts each run of column_keys elements; `to` may equal `from`.
    void sort_columns(ElementArrays<Word, Value> const& from,
                      ElementArrays<Word, Value> const& to) const;
    /// Merges stably: of equal keys, those of `first` come first.
    void merge(ConstElements<Word, Value> const& first,
               ConstElements<Word, Value> const& second,
               ElementArrays<Word, Value> const& to) const;

  private:
    static constexpr bool has_network =
        !ElementArrays<Word, Value>::has_values && sizeof(Word) <= sizeof(std::uint64_t);
    MergeKernels<std::conditional_t<has_network, Word, std::uint32_t>> network_;
};

/// Sorted runs to merge into `to`.
template <class Word, class Value>
struct RunGroup {
    std::vector<ConstElements<Word, Value>> runs;
    ElementArrays<Word, Value> to; ///< total size of the runs; must not overlap them
};

/// Merges every group. Groups are cut into pieces of the merged order that fit a core's cache;
/// threads take pieces from a shared queue and merge them in rounds of two runs each, so that
/// memory is read and written once for any number of runs.
/// \param code decodes the keys written to `to`; the identity leaves images
/// \param threads does not affect the result
template <class Word, class Value>
void merge_groups(std::vector<RunGroup<Word, Value>> const& groups,
                  RunKernels<Word, Value> const& kernels,
                  ImageCode code,
                  unsigned threads);

} // namespace keyswap::kernels
