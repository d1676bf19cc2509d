#pragma once

#include <nlohmann/json.hpp>

namespace keyswap::tools {

/// JSON whose objects preserve the insertion order of their fields.
using Json = nlohmann::ordered_json;

} // namespace keyswap::tools
