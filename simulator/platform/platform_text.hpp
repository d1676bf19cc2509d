#pragma once

#include "simulator/platform/platform.hpp"
#include "traces/errors/input_error.hpp"

#include <string>
#include <string_view>

namespace keyswap::simulator {

/// The text of a platform file, and its name for messages.
struct PlatformText {
    std::string text;
    std::string file;
};

/// Of a shipped platform or a file.
[[nodiscard]] Expected<PlatformText> load_platform_text(std::string_view name_or_path);

/// The platform of such a text: load_platform() without clusters.
[[nodiscard]] Expected<Platform> load_node(std::string_view name_or_path);

} // namespace keyswap::simulator
