#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace keyswap::tools {

/// Values that an option accepts.
struct KnownValues {
    std::vector<std::string> values;
    bool or_file = false; ///< a file name is accepted, too
};

/// Values of options with the same meaning in every command, such as "--type" and "--distribution";
/// for other options, no values but any file name.
[[nodiscard]] KnownValues known_values(std::string_view option);

} // namespace keyswap::tools
