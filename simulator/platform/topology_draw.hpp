#pragma once

/// \file Graphviz drawings of a platform: all sockets on one rank, all GPUs on another, edge widths
/// by capacity, colours by use if given.

#include "simulator/platform/platform.hpp"

#include <map>
#include <string>
#include <string_view>

namespace keyswap::simulator {

/// Bandwidth in use by link name, in bytes per second of the busier direction.
using LinkUseTable = std::map<std::string, double, std::less<>>;

/// Graphviz source. Labels are "used / capacity" in GB/s; without `use` only the capacity.
[[nodiscard]] std::string draw_topology(Platform const& platform, LinkUseTable const& use = {});

/// Parses "link,GB/s" lines, with or without a header line.
/// \param file name for messages
[[nodiscard]] Expected<LinkUseTable>
parse_link_use(std::string_view text, std::string_view file, Platform const& platform);

} // namespace keyswap::simulator
