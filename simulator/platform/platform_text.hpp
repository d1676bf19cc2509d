#pragma once

#include "simulator/platform/platform.hpp"
#include "traces/errors/input_error.hpp"

#include <string>
#include <string_view>

namespace keyswap::simulator {

/// Contents of a platform file, and the file's name for messages.
struct PlatformText {
    std::string text;
    std::string file;
};

/// Loads the text of a shipped platform, by name, or of a file, by path.
[[nodiscard]] Expected<PlatformText> load_platform_text(std::string_view name_or_path);

/// Parses the text of a shipped platform or a file: load_platform() without clusters.
[[nodiscard]] Expected<Platform> load_node(std::string_view name_or_path);

} // namespace keyswap::simulator
