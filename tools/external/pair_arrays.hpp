#pragma once

/// \file Records that are a key and a value, or a key alone, and their keys and values in arrays.

#include "model/external/record_layout.hpp"
#include "tools/external/range_engine.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace keyswap::tools {

/// Elements `first` and on of arrays, without scratch space. \param layout of keys and values
[[nodiscard]] RangeArrays part_of_arrays(model::RecordLayout const& layout,
                                         RangeArrays const& arrays,
                                         std::uint64_t first,
                                         std::uint64_t count);

/// \param to as many keys and values
void split_records(model::RecordLayout const& layout,
                   std::span<std::byte const> records,
                   RangeArrays const& to);

/// \param from as many keys and values
void join_records(model::RecordLayout const& layout,
                  RangeArrays const& from,
                  std::span<std::byte> records);

} // namespace keyswap::tools
