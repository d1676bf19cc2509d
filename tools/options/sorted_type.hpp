#pragma once

#include "traces/errors/input_error.hpp"
#include "traces/records/key_type.hpp"

#include <string>
#include <string_view>

namespace keyswap::tools {

/// Parses the type of keys to generate, sort or predict. Types of 8 and 16 bits, which occur only
/// in files, give an error that names the type to use instead.
[[nodiscard]] Expected<KeyType> parse_sorted_type(std::string_view text);

/// Returns an error if an order of zeros or NaNs was chosen for keys that have neither.
[[nodiscard]] Expected<void>
check_float_orders(KeyType type, ZeroOrder zero_order, NanOrder nan_order = NanOrder::total);

/// The same for other keys without floats. \param keys in messages: "u32 keys"
/// \param remedy besides leaving the option out
[[nodiscard]] Expected<void> refuse_float_orders(std::string const& keys,
                                                 std::string const& remedy,
                                                 ZeroOrder zero_order,
                                                 NanOrder nan_order);

} // namespace keyswap::tools
