#pragma once

/// \file Converts between records of a key and an optional value, and arrays of keys and values.

#include "model/external/record_layout.hpp"
#include "tools/external/arrays/range_engine.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace keyswap::tools {

/// Elements [first, first + count) of arrays, without scratch. \param layout of keys and values
[[nodiscard]] RangeArrays part_of_arrays(model::RecordLayout const& layout,
                                         RangeArrays const& arrays,
                                         std::uint64_t first,
                                         std::uint64_t count);

/// Copies keys and values out of records. \param to arrays for as many elements
void split_records(model::RecordLayout const& layout,
                   std::span<std::byte const> records,
                   RangeArrays const& to);

/// Copies keys and values into records. \param from arrays of as many elements
void join_records(model::RecordLayout const& layout,
                  RangeArrays const& from,
                  std::span<std::byte> records);

} // namespace keyswap::tools
