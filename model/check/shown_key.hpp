#pragma once

#include "model/keys/key_text.hpp"
#include "traces/errors/hex_text.hpp"

#include <cstdint>
#include <span>
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
    // Floats have at most 64 bits.
    return text + " (0x" + hex_text(static_cast<std::uint64_t>(key), 2 * sizeof(Word)) + ")";
}

} // namespace keyswap::model
