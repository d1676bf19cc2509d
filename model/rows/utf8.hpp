#pragma once

#include <string_view>

namespace keyswap::model {

/// True if the bytes are well-formed UTF-8 (Unicode's table 3-7) without a truncated character.
/// True if empty.
[[nodiscard]] bool is_utf8(std::string_view text);

} // namespace keyswap::model
