#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace keyswap::tools {

/// What an option may be given.
struct KnownValues {
    std::vector<std::string> values;
    bool or_file = false; ///< also the name of a file
};

/// Of the options that mean the same in every command: "--type", "--distribution". Nothing of
/// others.
[[nodiscard]] KnownValues known_values(std::string_view option);

} // namespace keyswap::tools
