#pragma once

/// \file Arrays of a multisplit or shuffle on GPUs, as views of a replay's memory.

#include "kernels/multisplit.hpp"
#include "model/partition/bucket_rule_text.hpp"
#include "model/sorts/algorithm.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::tools {

/// Views with the arrays as input and the scratch arrays as output.
/// \param starts [m] output: index of each bucket's first element
template <class Image, class Value>
[[nodiscard]] kernels::MultisplitArrays
split_arrays(model::ParsedFunction const& given,
             model::ReplayMemory<Image, Value> const& memory,
             std::vector<std::uint64_t>& starts) {
    kernels::MultisplitArrays arrays;
    arrays.keys_in = memory.arrays.keys.data();
    arrays.keys_out = memory.scratch.keys.data();
    arrays.values_in = memory.arrays.values.data();
    arrays.values_out = memory.scratch.values.data();
    arrays.labels = given.labels.data();
    arrays.label_bytes = sizeof(std::uint32_t);
    arrays.starts = starts.data();
    return arrays;
}

} // namespace keyswap::tools
