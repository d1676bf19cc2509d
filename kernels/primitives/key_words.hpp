#pragma once

/// \file The types of keys and values that kernels handle, chosen by their sizes.

#include "kernels/device/key_image.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// Calls body.operator()<Key>(). \param key_bytes 4 or 8
template <class Body>
auto with_key_type(int key_bytes, Body const& body) {
    return key_bytes == 4 ? body.template operator()<std::uint32_t>()
                          : body.template operator()<std::uint64_t>();
}

/// The same for 4, 8 or 16 bytes.
template <class Body>
auto with_key_word(int key_bytes, Body const& body) {
    return key_bytes == 16 ? body.template operator()<WideImage>() : with_key_type(key_bytes, body);
}

} // namespace keyswap::kernels
