#pragma once

#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace keyswap::tools {

/// Restricts an option to these values; errors suggest the closest one. Help, manual and
/// completions list them.
void accept_only(CLI::Option& option, std::vector<std::string> values);

} // namespace keyswap::tools
