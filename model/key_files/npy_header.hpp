#pragma once

/// \file The header of NumPy's `.npy` files. Source: NumPy Enhancement Proposal 1 (NEP 1), "A
/// Simple File Format for NumPy Arrays", versions 1.0 to 3.0.

#include "model/key_files/narrow_type.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/records/key_type.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// Element type and length of a one-dimensional array of keys.
struct NpyHeader {
    KeyType key_type = KeyType::u32;
    std::uint64_t key_count = 0;
    std::optional<NarrowType> narrow_type = std::nullopt; ///< stored type, widened to key_type
    bool big_endian = false; ///< the file stores the most significant byte first
    friend bool operator==(NpyHeader const&, NpyHeader const&) = default;
};

/// Bytes at the start of a file that npy_header_size() needs.
inline constexpr std::size_t npy_prefix_size = 12;

/// Size in bytes of the whole header, from the first bytes of a file.
/// \param start at least the first npy_prefix_size bytes, or the whole file if shorter
/// \param name subject of errors
[[nodiscard]] Expected<std::size_t> npy_header_size(std::string_view start,
                                                    std::string const& name);

/// A field of a structured array.
struct NpyField {
    std::string name;       ///< UTF-8; empty for padding
    std::string descriptor; ///< "<u4"; empty for a nested record
    bool is_array = false;  ///< holds several elements per record
};

/// The parsed contents of a header.
struct NpyLayout {
    std::string descriptor;       ///< "<u4"; empty for structured arrays
    std::vector<NpyField> fields; ///< of a structured array
    bool fortran_order = false;   ///< column-major: the first index varies fastest
    std::vector<std::uint64_t> shape;
};

/// Parses a header of the size returned by npy_header_size().
[[nodiscard]] Expected<NpyLayout> parse_npy_layout(std::string_view header,
                                                   std::string const& name);

/// A flat array of any element type: at most one of its extents is not 1.
struct NpyArray {
    std::string descriptor; ///< "<u4", "|u1" ... in NumPy's canonical spelling, whatever the file's
    std::uint64_t count = 0;
};

/// Parses the header of a flat array; returns an error for other shapes, including scalars, and
/// for records.
[[nodiscard]] Expected<NpyArray> parse_npy_array(std::string_view header, std::string const& name);

/// Parses the header of a flat array of keys; also returns an error for unsupported types.
[[nodiscard]] Expected<NpyHeader> parse_npy_header(std::string_view header,
                                                   std::string const& name);

/// A version 1.0 header, always 128 bytes long so that it can be overwritten once the count is
/// known.
[[nodiscard]] std::string npy_header_text(NpyHeader const& header);

} // namespace keyswap::model
