#pragma once

#include "tools/report/profile.hpp"
#include "tools/text/json.hpp"

namespace keyswap::tools {

/// A profiled run as the page's script reads it (DATA.md).
[[nodiscard]] Json profile_data(Profile const& profile);

} // namespace keyswap::tools
