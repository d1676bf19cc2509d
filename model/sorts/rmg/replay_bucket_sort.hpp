#pragma once

#include "model/keys/key_arrays.hpp"
#include "model/keys/parallel.hpp"
#include "model/sorts/rmg/bucket_sort.hpp"
#include "model/sorts/rmg/plan.hpp"

namespace keyswap::model {

/// Sorts every GPU's groups on their unsorted bits, in parallel. Source: RMG paper, section 3.3.
template <class Image, class Value>
void replay_bucket_sort(Plan const& plan,
                        KeyArrays<Image, Value> const& arrays,
                        KeyArrays<Image, Value> const& scratch) {
    parallel_for_each(plan.sort_groups, [&](SortGroup const& group) {
        std::uint64_t const begin = plan.ownership[group.gpu.value].base + group.offset;
        sort_low_bits(
            arrays.part(begin, group.count), scratch.part(begin, group.count), group.end_bit);
    });
}

} // namespace keyswap::model
