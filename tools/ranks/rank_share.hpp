#pragma once

#include "model/buckets/chunks.hpp"
#include "model/ranks/rank_sort.hpp"
#include "tools/options/sort_request.hpp"

#include <cstdint>

namespace keyswap::tools {

/// Sets the request's number of keys and key type where a file says them, the rank's own where its
/// name has {rank} in it. A file that does not say its number of keys is read through.
[[nodiscard]] Expected<void> count_keys(SortRequest& request, std::uint32_t rank);

template <class Image, class Value>
using LoadedShare = Expected<model::RankKeys<Image, Value>>;

/// Images of the keys in the rank's range of the whole input, in the sort's direction, made or read
/// by this rank alone; values are indices in the whole input.
/// \pre count_keys() was called; Image is as wide as the keys
template <class Image, class Value>
[[nodiscard]] LoadedShare<Image, Value>
load_share(SortRequest const& request, std::uint32_t rank, model::IndexRange range);

} // namespace keyswap::tools
