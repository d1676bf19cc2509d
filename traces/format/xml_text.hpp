#pragma once

#include <string>
#include <string_view>

namespace keyswap {

/// The text with what XML gives a meaning to (& < > ") as entities.
[[nodiscard]] std::string xml_text(std::string_view text);

} // namespace keyswap
