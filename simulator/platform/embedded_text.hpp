#pragma once

#include <string_view>

namespace keyswap::simulator {

/// A data file that is part of the program. The build generates the functions that return them.
struct EmbeddedText {
    std::string_view name; ///< file name without extension
    std::string_view text;
};

} // namespace keyswap::simulator
