#pragma once

/// \file The words that keys of a width are on a device.

#include "kernels/device/key_image.hpp"

#include <cstdint>
#include <type_traits>

namespace keyswap::kernels {

/// Calls `body` with std::type_identity of the word of keys of 4, 8 or 16 bytes.
template <class Body>
void with_key_word(int key_bytes, Body const& body) {
    switch (key_bytes) {
    case 4:
        body(std::type_identity<std::uint32_t>{});
        break;
    case 8:
        body(std::type_identity<std::uint64_t>{});
        break;
    default:
        body(std::type_identity<WideImage>{});
    }
}

} // namespace keyswap::kernels
