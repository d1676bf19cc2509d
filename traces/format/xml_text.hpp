#pragma once

#include <string>
#include <string_view>

namespace keyswap {

/// Escapes & < > " as XML entities, for text and attribute values.
[[nodiscard]] std::string xml_text(std::string_view text);

} // namespace keyswap
