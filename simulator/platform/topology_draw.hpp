#pragma once

/// \file Pictures of a platform for Graphviz: sockets on a rank each, edges as wide as their
/// capacity, coloured by use where one is given.

#include "simulator/platform/platform.hpp"

#include <map>
#include <string>
#include <string_view>

namespace keyswap::simulator {

/// Used bandwidth by link name, bytes a second, of the busier direction.
using LinkUseTable = std::map<std::string, double, std::less<>>;

/// Graphviz text. Labels are "used / capacity" in GB/s with a table, capacity without.
[[nodiscard]] std::string draw_topology(Platform const& platform, LinkUseTable const& use = {});

/// Reads "link,GB/s" lines (a header line is allowed).
/// \param file name for messages
[[nodiscard]] Expected<LinkUseTable>
parse_link_use(std::string_view text, std::string_view file, Platform const& platform);

} // namespace keyswap::simulator
