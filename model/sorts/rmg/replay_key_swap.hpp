#pragma once

#include "model/keys/key_arrays.hpp"
#include "model/keys/parallel.hpp"
#include "model/sorts/rmg/digit_scatter.hpp"
#include "model/sorts/rmg/key_swap.hpp"
#include "model/sorts/rmg/plan.hpp"

namespace keyswap::model {

/// The all-to-all exchange: executes every merged copy of the plan, from the chunks in `from` to
/// the owned ranges in `to`. Source: RMG paper, section 3.2.
template <class Image, class Value>
void replay_key_swap(Plan const& plan,
                     KeyArrays<Image, Value> const& from,
                     KeyArrays<Image, Value> const& to) {
    std::vector<CopyRecord> const copies = merged_copies(plan);
    parallel_for_each(copies, [&](CopyRecord const& copy) {
        std::uint64_t const source = plan.chunks.of(copy.source).begin + copy.source_offset;
        std::uint64_t const destination =
            plan.ownership[copy.destination.value].base + copy.destination_offset;
        copy_keys(from.part(source, copy.count), to.part(destination, copy.count));
    });
}

} // namespace keyswap::model
