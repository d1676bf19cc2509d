#pragma once

#include <span>
#include <string_view>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// A command line worth knowing.
struct Example {
    std::string_view command; ///< "topology show"
    std::string_view line;    ///< as typed, from "keyswap" on
    std::string_view purpose; ///< in half a line
};

/// In the order of the commands.
[[nodiscard]] std::span<Example const> examples();

/// Shows each command's examples below its help.
void add_examples(CLI::App& app);

} // namespace keyswap::tools
