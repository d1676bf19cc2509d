#pragma once

/// \file The ways to carry a multisplit out, each by its own steps. All stable ones must give the
/// same permutation, that of partition_positions().

#include "traces/errors/input_error.hpp"
#include "traces/records/key_type.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// A method as tables and the command line show it.
struct MultisplitMethod {
    std::string_view name;
    std::string_view description;
    std::string_view source;
    std::uint32_t buckets_most = 0;
    Stability stability = Stability::stable;
    /// Keys of a tile, whose histogram is a column of the scanned table; 0 = no table.
    std::uint32_t (*tile_keys)(std::uint32_t buckets) = nullptr;
    /// Where each key goes, computed as the method computes it.
    /// \param labels [n] bucket of each key, below `buckets`
    std::vector<std::uint64_t> (*positions)(std::span<std::uint32_t const> labels,
                                            std::uint32_t buckets) = nullptr;
};

/// All methods; the first is the default.
[[nodiscard]] std::span<MultisplitMethod const> multisplit_methods();

[[nodiscard]] Expected<MultisplitMethod const*> find_multisplit_method(std::string_view name);

/// Whether the method takes so many buckets.
[[nodiscard]] bool takes(MultisplitMethod const& method, std::uint32_t buckets);

/// Refuses numbers of buckets that a method does not take, naming methods that do.
[[nodiscard]] Expected<void> check_buckets(MultisplitMethod const& method, std::uint32_t buckets);

} // namespace keyswap::model
