#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace keyswap::simulator {

/// Undoes changes to a dump by terminals, editors and forums: converts UTF-16 to UTF-8, removes
/// byte order marks, carriage returns and colours, and converts non-breaking spaces. Line numbers
/// are preserved.
[[nodiscard]] std::string plain_dump_text(std::string_view bytes);

/// The number with at least so many digits: "0f".
[[nodiscard]] std::string hexadecimal(std::uint32_t number, int digits);

} // namespace keyswap::simulator
