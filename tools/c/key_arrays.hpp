#pragma once

/// \file Converts arrays of C callers for the model and the sorts.

#include "model/key_files/narrow_type.hpp"
#include "model/key_files/stored_keys.hpp"
#include "tools/c/keyswap.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::c {

/// A key type of the C interface: a sortable type, or a narrower one.
struct ArrayType {
    KeyType type = KeyType::u32; ///< type to which keys are widened
    std::optional<model::NarrowType> narrow;

    [[nodiscard]] std::string_view name() const { return model::stored_type_name(type, narrow); }
    [[nodiscard]] std::size_t size_bytes() const;
};

/// nullopt for an invalid type.
[[nodiscard]] std::optional<ArrayType> array_type(keyswap_type type);
/// \return an error naming the argument for an invalid type
[[nodiscard]] Expected<ArrayType> array_type(keyswap_type type, char const* argument);
/// Like array_type(), but also an error for narrow types, which the sorts do not support.
[[nodiscard]] Expected<KeyType> sorted_type(keyswap_type type, char const* argument);

/// A caller's keys, read in place; narrow and b128 keys are converted into a copy first.
class ReadArray {
  public:
    /// \param argument argument name for errors
    [[nodiscard]] static Expected<ReadArray> of(keyswap_array const& array, char const* argument);

    [[nodiscard]] ArrayType const& type() const { return type_; }
    /// The keys for the model. \param wants_end see StoredKeys::view() \pre this object outlives
    /// the result
    [[nodiscard]] model::StoredKeys keys(std::function<bool()> wants_end) const;

  private:
    ArrayType type_;
    std::span<std::byte const> bytes_;
    std::vector<std::byte> copy_; ///< narrow keys widened, b128 keys byte-swapped; else empty
};

inline constexpr std::size_t widest_key_bytes = 16;

/// Returns an error if an array of `count` elements could not be in memory.
[[nodiscard]] Expected<void> expect_addressable(std::size_t count,
                                                std::string const& argument,
                                                std::size_t element_bytes = widest_key_bytes);

/// The bytes of an output array. \return an error for a null pointer, or an address that is not a
/// multiple of size_bytes
[[nodiscard]] Expected<std::span<std::byte>>
written_bytes(void* data, std::size_t count, std::size_t size_bytes, char const* argument);

} // namespace keyswap::c
