#pragma once

#include <nlohmann/json.hpp>

namespace keyswap::tools {

/// JSON whose objects keep their fields in the order in which they were written.
using Json = nlohmann::ordered_json;

} // namespace keyswap::tools
