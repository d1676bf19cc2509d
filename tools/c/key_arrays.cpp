#include "tools/c/key_arrays.hpp"

#include "model/key_files/key_file.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>

namespace keyswap::c {

namespace {

/// Indexed by keyswap_type - 1.
constexpr std::array<std::string_view, 15> type_names{"u8",
                                                      "u16",
                                                      "u32",
                                                      "u64",
                                                      "u128",
                                                      "i8",
                                                      "i16",
                                                      "i32",
                                                      "i64",
                                                      "i128",
                                                      "f16",
                                                      "bf16",
                                                      "f32",
                                                      "f64",
                                                      "b128"};
static_assert(type_names.size() == every_key_type.size() + model::narrow_traits.size());
static_assert(type_names[KEYSWAP_B128 - 1] == "b128" && type_names[KEYSWAP_F32 - 1] == "f32");

} // namespace

Expected<void>
expect_addressable(std::size_t count, std::string const& argument, std::size_t element_bytes) {
    if (count > std::numeric_limits<std::size_t>::max() / element_bytes) {
        return input_error(argument, "has more bytes than memory can hold", "check its count");
    }
    return {};
}

std::size_t ArrayType::size_bytes() const {
    return narrow ? model::narrow_size_bytes(*narrow) : key_size_bytes(type);
}

std::optional<ArrayType> array_type(keyswap_type type) {
    auto const index = static_cast<std::size_t>(type) - 1;
    if (index >= type_names.size()) {
        return std::nullopt;
    }
    if (auto const narrow = model::narrow_type_of(type_names[index])) {
        return ArrayType{model::widened_type(*narrow), narrow};
    }
    return ArrayType{parse_key_type(type_names[index]).value(), std::nullopt};
}

Expected<ArrayType> array_type(keyswap_type type, char const* argument) {
    if (auto const known = array_type(type)) {
        return *known;
    }
    return input_error(argument,
                       "has the type " + std::to_string(static_cast<int>(type)) +
                           ", which is not a key type",
                       "give a keyswap_type, such as KEYSWAP_U32");
}

Expected<KeyType> sorted_type(keyswap_type type, char const* argument) {
    KEYSWAP_TRY(auto const known, array_type(type, argument));
    if (known.narrow) {
        return input_error(
            argument,
            "has keys of " + std::string(known.name()) + ", and sorts take 32, 64 or 128 bits",
            "widen them to " + std::string(to_string(known.type)) + ", which keeps their order");
    }
    return known.type;
}

Expected<ReadArray> ReadArray::of(keyswap_array const& array, char const* argument) {
    ReadArray read;
    KEYSWAP_TRY(read.type_, array_type(array.type, argument));
    std::size_t const size = read.type_.size_bytes();
    if (array.data == nullptr && array.count > 0) {
        return input_error(argument, "is NULL", "give its keys, or a count of 0");
    }
    KEYSWAP_RETURN_IF_ERROR(expect_addressable(array.count, argument));
    read.bytes_ = {static_cast<std::byte const*>(array.data), array.count * size};
    if (read.type_.narrow) {
        read.copy_.resize(array.count * sizeof(std::uint32_t));
        model::widen(*read.type_.narrow, read.bytes_, read.copy_);
    } else if (kind_of(read.type_.type) == KeyKind::bytes) {
        read.copy_.assign(read.bytes_.begin(), read.bytes_.end());
        model::swap_key_bytes(read.type_.type, read.copy_);
    }
    return read;
}

model::StoredKeys ReadArray::keys(std::function<bool()> wants_end) const {
    return model::StoredKeys::view(
        copy_.empty() ? bytes_ : std::span(copy_), type_.type, std::move(wants_end));
}

Expected<std::span<std::byte>>
written_bytes(void* data, std::size_t count, std::size_t size_bytes, char const* argument) {
    if (data == nullptr && count > 0) {
        return input_error(argument, "is NULL", "give an array, or a count of 0");
    }
    KEYSWAP_RETURN_IF_ERROR(expect_addressable(count, argument));
    if (count > 0 && reinterpret_cast<std::uintptr_t>(data) % size_bytes != 0) {
        return input_error(argument,
                           "is not aligned to " + std::to_string(size_bytes) + " bytes",
                           "give an aligned array, such as malloc() returns");
    }
    return std::span(static_cast<std::byte*>(data), count * size_bytes);
}

} // namespace keyswap::c

char const* keyswap_type_name(keyswap_type type) {
    auto const known = keyswap::c::array_type(type);
    return known ? known->name().data() : nullptr; // a null-terminated literal
}

std::size_t keyswap_type_size(keyswap_type type) {
    auto const known = keyswap::c::array_type(type);
    return known ? known->size_bytes() : 0;
}
