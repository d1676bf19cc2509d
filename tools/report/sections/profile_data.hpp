#pragma once

#include "tools/report/profiles/profile.hpp"
#include "tools/text/json.hpp"

namespace keyswap::tools {

/// A profiled run as input of the page's script (DATA.md).
[[nodiscard]] Json profile_data(Profile const& profile);

} // namespace keyswap::tools
