#pragma once

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace keyswap::tools {

/// A file of page/ or vendor/, embedded at build time: "template", "style", "palette" ...
struct PagePart {
    std::string_view name;
    std::string_view text;
};

/// Defined in a generated source file.
[[nodiscard]] std::vector<PagePart> page_parts();

[[nodiscard]] inline std::string_view page_part(std::string_view name) {
    auto const parts = page_parts();
    auto const found = std::ranges::find(parts, name, &PagePart::name);
    KEYSWAP_EXPECTS(found != parts.end());
    return found->text;
}

} // namespace keyswap::tools
