#pragma once

#include "traces/errors/input_error.hpp"

#include <string>

namespace keyswap::simulator {

enum class PictureFormat { svg, png };

/// Runs Graphviz's `dot` on the text. \return the picture's bytes
[[nodiscard]] Expected<std::string> render_picture(std::string const& dot_text,
                                                   PictureFormat format);

} // namespace keyswap::simulator
