#pragma once

/// \file Shuffle: a multisplit across GPUs, as engines of data frames repartition their tables.
/// Each GPU orders its chunk by bucket; then every bucket goes whole to the GPU that owns it, where
/// buckets ascend and a bucket's pieces follow each other in the order of the GPUs they come from.
/// After stable multisplits keys of a bucket therefore keep their input order.

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

/// Name of the header's parameter that says who chose the owners: 0 = even_owners(), 1 = the run,
/// whose placements name them.
inline constexpr std::string_view given_owners_parameter = "given-owners";

/// A multisplit whose header has the layout of an exchange.
[[nodiscard]] inline bool is_shuffle(RunHeader const& header) {
    return header.operation == Operation::multisplit && header.layout.has_value();
}

/// The default: bucket b of m goes to GPU floor(b g / m). [m]
/// \pre gpu_count > 0
[[nodiscard]] std::vector<GpuId> even_owners(std::uint32_t buckets, std::uint32_t gpu_count);

/// What follows from the counts.
struct Shuffle {
    std::vector<PlacementRecord> placements; ///< of buckets that hold keys, ascending
    std::vector<OwnershipRecord> ownership;  ///< [g] stretches of the output, GPU after GPU
    std::vector<CopyRecord> copies;          ///< by source, then bucket; none is empty
};

/// \param counts [g][m] keys of each bucket on each GPU
/// \param owners [m], each below g
[[nodiscard]] Shuffle plan_shuffle(std::span<std::vector<std::uint64_t> const> counts,
                                   std::span<GpuId const> owners);

/// A bucket's number in the order of the output: by owner, then bucket. [m]
[[nodiscard]] std::vector<std::uint32_t> output_ranks(std::span<GpuId const> owners);

/// Carries the copies out: from -> to.
/// \param from chunk after chunk, each ordered by bucket
/// \param to [n] the output, what GPU 0 owns first
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
