#pragma once

#include "traces/errors/input_error.hpp"

#include <string>

namespace keyswap::simulator {

enum class PictureFormat { svg, png };

/// Runs Graphviz's `dot`. \return the picture file's bytes; an error if `dot` fails
[[nodiscard]] Expected<std::string> render_picture(std::string const& dot_text,
                                                   PictureFormat format);

} // namespace keyswap::simulator
