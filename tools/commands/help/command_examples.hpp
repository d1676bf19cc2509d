#pragma once

#include <span>
#include <string_view>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// A useful command line, shown in help and manual pages.
struct Example {
    std::string_view command; ///< "topology show"
    std::string_view line;    ///< as typed, starting with "keyswap"
    std::string_view purpose; ///< at most half a line
};

/// All examples, in the order of the commands.
[[nodiscard]] std::span<Example const> examples();

/// Appends examples to each command's help.
void add_examples(CLI::App& app);

} // namespace keyswap::tools
