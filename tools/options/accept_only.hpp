#pragma once

#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace keyswap::tools {

/// Refuses any other value than these, naming the one that was probably meant. Help, manual and
/// completions list them.
void accept_only(CLI::Option& option, std::vector<std::string> values);

} // namespace keyswap::tools
