#pragma once

#include "tools/report/profile.hpp"

#include <nlohmann/json.hpp>

namespace keyswap::tools {

/// A profiled run as the page's script reads it (DATA.md).
[[nodiscard]] nlohmann::ordered_json profile_data(Profile const& profile);

} // namespace keyswap::tools
