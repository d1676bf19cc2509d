#pragma once

#include <string_view>

namespace keyswap::model {

/// Whether all bytes are whole characters of well-formed UTF-8 (Unicode's table 3-7). True without
/// bytes.
[[nodiscard]] bool is_utf8(std::string_view text);

} // namespace keyswap::model
