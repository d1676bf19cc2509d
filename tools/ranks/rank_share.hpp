#pragma once

#include "model/buckets/chunks.hpp"
#include "model/ranks/rank_sort.hpp"
#include "tools/options/sort_request.hpp"

#include <cstdint>

namespace keyswap::tools {

/// Sets the request's key count and key type from the input file, the rank's own one if its name
/// contains {rank}. Reads the whole file if it does not store its key count.
[[nodiscard]] Expected<void> count_keys(SortRequest& request, std::uint32_t rank);

template <class Image, class Value>
using LoadedShare = Expected<model::RankKeys<Image, Value>>;

/// Loads or generates this rank's range of the whole input, as images in the sort's direction;
/// values are indices in the whole input.
/// \pre count_keys() was called; Image has the width of the keys
template <class Image, class Value>
[[nodiscard]] LoadedShare<Image, Value>
load_share(SortRequest const& request, std::uint32_t rank, model::IndexRange range);

} // namespace keyswap::tools
