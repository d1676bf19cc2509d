#pragma once

/// \file Multisplit methods, each computing positions by its own steps. All stable methods must
/// yield the permutation of partition_positions().

#include "traces/errors/input_error.hpp"
#include "traces/records/key_type.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// A method with its description for tables and the command line.
struct MultisplitMethod {
    std::string_view name;
    std::string_view description;
    std::string_view source;
    std::uint32_t buckets_most = 0;
    Stability stability = Stability::stable;
    /// Keys in a tile, whose histogram is one column of the scanned table; 0 = no table.
    std::uint32_t (*tile_keys)(std::uint32_t buckets) = nullptr;
    /// The destination of each key, computed by the method's own steps. \return [n]
    /// \param labels [n] bucket of each key, below `buckets`
    std::vector<std::uint64_t> (*positions)(std::span<std::uint32_t const> labels,
                                            std::uint32_t buckets) = nullptr;
};

/// All methods; the first is the default.
[[nodiscard]] std::span<MultisplitMethod const> multisplit_methods();

[[nodiscard]] Expected<MultisplitMethod const*> find_multisplit_method(std::string_view name);

/// True if the method supports this number of buckets.
[[nodiscard]] bool takes(MultisplitMethod const& method, std::uint32_t buckets);

/// \return an error if the method does not support this number of buckets; names those that do
[[nodiscard]] Expected<void> check_buckets(MultisplitMethod const& method, std::uint32_t buckets);

} // namespace keyswap::model
