#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace keyswap::simulator {

/// Undoes changes to a dump by terminals, editors and forums: converts UTF-16 to UTF-8, removes
/// byte order marks, carriage returns and colours, and converts non-breaking spaces. Line numbers
/// are preserved.
[[nodiscard]] std::string plain_dump_text(std::string_view bytes);

} // namespace keyswap::simulator
