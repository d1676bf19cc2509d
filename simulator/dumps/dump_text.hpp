#pragma once

#include <string>
#include <string_view>

namespace keyswap::simulator {

/// A dump as it was before a terminal, an editor or a forum changed it: UTF-16 becomes UTF-8; byte
/// order marks, carriage returns and colours vanish; spaces that do not break become plain ones.
/// Lines keep their numbers.
[[nodiscard]] std::string plain_dump_text(std::string_view bytes);

} // namespace keyswap::simulator
