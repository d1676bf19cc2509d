#pragma once

#include "traces/errors/input_error.hpp"
#include "traces/records/key_type.hpp"

#include <string_view>

namespace keyswap::tools {

/// The type of keys that are made, sorted or predicted: parse_key_type, which explains keys of 8
/// and 16 bits that files alone have such, and by which type they are sorted.
[[nodiscard]] Expected<KeyType> parse_sorted_type(std::string_view text);

} // namespace keyswap::tools
