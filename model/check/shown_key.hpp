#pragma once

#include "model/keys/key_text.hpp"

#include <cstdint>
#include <iomanip>
#include <span>
#include <sstream>
#include <string>

namespace keyswap::model {

/// The key as findings print it. NaNs include their bits, which distinguish them.
/// \pre the type has the width of Word
template <class Word>
[[nodiscard]] std::string shown_key(KeyType type, Word key) {
    std::string text = key_text(type, std::as_bytes(std::span(&key, 1)));
    if (text.find("nan") == std::string::npos) {
        return text;
    }
    std::ostringstream bits; // floats have at most 64 bits
    bits << std::hex << std::setfill('0') << std::setw(2 * sizeof(Word))
         << static_cast<std::uint64_t>(key);
    return text + " (0x" + bits.str() + ")";
}

} // namespace keyswap::model
