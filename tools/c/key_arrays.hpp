#pragma once

/// \file Arrays of C callers as the model and the sorts read them.

#include "model/keys/narrow_type.hpp"
#include "model/keys/stored_keys.hpp"
#include "tools/c/keyswap.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::c {

/// A key type of the interface: one that sorts know, or a narrower one.
struct ArrayType {
    KeyType type = KeyType::u32; ///< that keys are read as
    std::optional<model::NarrowType> narrow;

    [[nodiscard]] std::string_view name() const { return model::stored_type_name(type, narrow); }
    [[nodiscard]] std::size_t size_bytes() const;
};

/// nullopt if there is no such type.
[[nodiscard]] std::optional<ArrayType> array_type(keyswap_type type);
/// \return an error that names the argument if there is no such type
[[nodiscard]] Expected<ArrayType> array_type(keyswap_type type, char const* argument);
/// The same for keys that sorts know.
[[nodiscard]] Expected<KeyType> sorted_type(keyswap_type type, char const* argument);

/// Keys of a caller, read where they lie if they have 32 or 64 bits.
class ReadArray {
  public:
    /// \param argument that errors name
    [[nodiscard]] static Expected<ReadArray> of(keyswap_array const& array, char const* argument);

    [[nodiscard]] ArrayType const& type() const { return type_; }
    /// The keys for the model. \param wants_end as that of StoredKeys::view
    /// \pre this outlives the result
    [[nodiscard]] model::StoredKeys keys(std::function<bool()> wants_end) const;

  private:
    ArrayType type_;
    std::span<std::byte const> bytes_;
    std::vector<std::byte> copy_; ///< of keys that cannot be read as they are
};

/// Bytes of keys that are written. \return an error for null, or an address that is no multiple of
/// a key's size
[[nodiscard]] Expected<std::span<std::byte>>
written_bytes(void* data, std::size_t count, std::size_t size_bytes, char const* argument);

} // namespace keyswap::c
