#pragma once

/// \file Shuffle: a multisplit across GPUs, as data frame engines repartition their tables.
/// Each GPU orders its chunk by bucket; then every bucket goes as a whole to its owner, where
/// buckets ascend and the pieces of a bucket are in the order of their source GPUs.
/// After stable multisplits the keys of a bucket are therefore in input order.

#include "model/buckets/chunks.hpp"
#include "model/keys/key_arrays.hpp"
#include "traces/records/records.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace keyswap::model {

/// Name of the header's parameter for the origin of the owners: 0 = even_owners(), 1 = chosen by
/// the run and recorded in its placements.
inline constexpr std::string_view given_owners_parameter = "given-owners";

/// True for a multisplit whose header has the layout of an exchange.
[[nodiscard]] inline bool is_shuffle(RunHeader const& header) {
    return header.operation == Operation::multisplit && header.layout.has_value();
}

/// Default owners: bucket b of m goes to GPU floor(b g / m). \return [m]
/// \pre gpu_count > 0
[[nodiscard]] std::vector<GpuId> even_owners(std::uint32_t buckets, std::uint32_t gpu_count);

/// Plan of the exchange, derived from the counts.
struct Shuffle {
    std::vector<PlacementRecord> placements; ///< of non-empty buckets, ascending
    std::vector<OwnershipRecord> ownership;  ///< [g] ranges of the output, in GPU order
    std::vector<CopyRecord> copies;          ///< non-empty, by source, then bucket
};

/// \param counts [g][m] keys of each bucket on each GPU
/// \param owners [m], each below g
[[nodiscard]] Shuffle plan_shuffle(std::span<std::vector<std::uint64_t> const> counts,
                                   std::span<GpuId const> owners);

/// Rank of each bucket in the output: by owner, then bucket. \return [m]
[[nodiscard]] std::vector<std::uint32_t> output_ranks(std::span<GpuId const> owners);

/// Executes the copies from `from` to `to`.
/// \param from [n] chunk after chunk, each ordered by bucket
/// \param to [n] the output, starting with GPU 0's range
template <class Image, class Value>
void exchange(Shuffle const& shuffle,
              Chunks const& chunks,
              KeyArrays<Image, Value> const& from,
              KeyArrays<Image, Value> const& to) {
    for (CopyRecord const& copy : shuffle.copies) {
        auto const source = chunks.of(copy.source).begin + copy.source_offset;
        auto const destination =
            shuffle.ownership[copy.destination.value].base + copy.destination_offset;
        std::ranges::copy(from.keys.subspan(source, copy.count),
                          to.keys.subspan(destination).begin());
        if constexpr (!std::is_same_v<Value, NoValue>) {
            std::ranges::copy(from.values.subspan(source, copy.count),
                              to.values.subspan(destination).begin());
        }
    }
}

} // namespace keyswap::model
