#pragma once

/// \file The header of NumPy's `.npy` files. Source: NumPy Enhancement Proposal 1 (NEP 1), "A
/// Simple File Format for NumPy Arrays", versions 1.0 to 3.0.

#include "model/keys/narrow_type.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/records/key_type.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// A one-dimensional array of keys.
struct NpyHeader {
    KeyType key_type = KeyType::u32;
    std::uint64_t key_count = 0;
    std::optional<NarrowType> narrow_type = std::nullopt; ///< of 8 or 16 bits, widened to key_type
    bool big_endian = false; ///< the most significant byte of each number comes first
    friend bool operator==(NpyHeader const&, NpyHeader const&) = default;
};

/// Bytes that npy_header_size() must see.
inline constexpr std::size_t npy_prefix_size = 12;

/// Size in bytes of the whole header, from the first bytes of a file.
/// \param start at least the first npy_prefix_size bytes, or the whole file where it is shorter
/// \param name what errors are about
[[nodiscard]] Expected<std::size_t> npy_header_size(std::string_view start,
                                                    std::string const& name);

/// A field of records.
struct NpyField {
    std::string name;       ///< UTF-8; empty for padding
    std::string descriptor; ///< "<u4"; empty for a record within the record
    bool is_array = false;  ///< several elements in each record
};

/// What a header says of an array.
struct NpyLayout {
    std::string descriptor;       ///< "<u4"; empty for records
    std::vector<NpyField> fields; ///< of records
    bool fortran_order = false;   ///< the first index runs fastest
    std::vector<std::uint64_t> shape;
};

/// Reads a header of the size that npy_header_size() gave.
[[nodiscard]] Expected<NpyLayout> parse_npy_layout(std::string_view header,
                                                   std::string const& name);

/// An array of anything whose elements lie in one row: at most one of its extents is not 1.
struct NpyArray {
    std::string descriptor; ///< "<u4", "|u1" ... as NumPy writes types, whatever the file has
    std::uint64_t count = 0;
};

/// The same where elements lie in one row: arrays of another shape than keys have, and records,
/// are refused.
[[nodiscard]] Expected<NpyArray> parse_npy_array(std::string_view header, std::string const& name);

/// The same for an array of keys: other types are refused too.
[[nodiscard]] Expected<NpyHeader> parse_npy_header(std::string_view header,
                                                   std::string const& name);

/// A header (version 1.0) of 128 bytes for any count, so that it can be overwritten once the count
/// is known.
[[nodiscard]] std::string npy_header_text(NpyHeader const& header);

} // namespace keyswap::model
