#pragma once

#include <set>
#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace keyswap::tools {

/// Refuses an option beside those that have no meaning with it: all of the command's but the
/// allowed ones. \param allowed names as CLI11 has them, "--keys"
void exclude_all_but(CLI::App& command, CLI::Option& asked, std::set<std::string> const& allowed);

} // namespace keyswap::tools
