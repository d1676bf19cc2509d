#pragma once

/// \file The types of keys and values that kernels move, chosen by their sizes.

#include "kernels/primitives/key_words.hpp"
#include "kernels/primitives/move_values.cuh"
#include "kernels/primitives/out_of_place_arrays.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// Calls body.operator()<Value>(). \param value_bytes 4 or 8; 0: NoValue
template <class Body>
auto with_value_type(int value_bytes, Body const& body) {
    switch (value_bytes) {
    case 4:
        return body.template operator()<std::uint32_t>();
    case 8:
        return body.template operator()<std::uint64_t>();
    default:
        return body.template operator()<NoValue>();
    }
}

/// Calls body.operator()<Key, Value>(). \pre keys of 4 or 8 bytes
template <class Body>
auto with_element_types(ElementShape shape, Body const& body) {
    return with_key_type(shape.key_bytes, [&]<class Key>() {
        return with_value_type(shape.value_bytes, [&]<class Value>() {
            return body.template operator()<Key, Value>();
        });
    });
}

/// The same for keys of 16 bytes, too.
template <class Body>
auto with_wide_element_types(ElementShape shape, Body const& body) {
    return with_key_word(shape.key_bytes, [&]<class Key>() {
        return with_value_type(shape.value_bytes, [&]<class Value>() {
            return body.template operator()<Key, Value>();
        });
    });
}

/// OutOfPlaceArrays of known types; can be a kernel argument.
template <class Key, class Value>
struct TypedArrays {
    Key const* keys_in;
    Key* keys_out;
    Value const* values_in;
    Value* values_out;
    std::uint64_t count;

    explicit TypedArrays(OutOfPlaceArrays const& arrays)
        : keys_in(static_cast<Key const*>(arrays.keys_in)),
          keys_out(static_cast<Key*>(arrays.keys_out)),
          values_in(static_cast<Value const*>(arrays.values_in)),
          values_out(static_cast<Value*>(arrays.values_out)), count(arrays.count) {}
};

} // namespace keyswap::kernels
