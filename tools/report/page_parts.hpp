#pragma once

#include "simulator/platform/embedded_text.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace keyswap::tools {

/// Files of page/ and vendor/, embedded at build time: "template", "style", "palette" ...
[[nodiscard]] std::vector<simulator::EmbeddedText> page_parts();

[[nodiscard]] inline std::string_view page_part(std::string_view name) {
    auto const parts = page_parts();
    auto const found = std::ranges::find(parts, name, &simulator::EmbeddedText::name);
    KEYSWAP_EXPECTS(found != parts.end());
    return found->text;
}

} // namespace keyswap::tools
