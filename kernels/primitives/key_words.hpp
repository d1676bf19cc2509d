#pragma once

/// \file Types of key words on the device.

#include "kernels/device/key_image.hpp"

#include <cstdint>
#include <type_traits>

namespace keyswap::kernels {

/// Calls `body` with std::type_identity of the key type; key_bytes is 4, 8 or 16.
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
