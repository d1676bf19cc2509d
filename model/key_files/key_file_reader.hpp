#pragma once

/// \file Interface of readers of key files, independent of the format.

#include "model/key_files/narrow_type.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/records/key_type.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace keyswap::model {

/// Reads the keys of a file in order.
class KeyFileReader {
  public:
    virtual ~KeyFileReader() = default;
    [[nodiscard]] virtual KeyType key_type() const = 0;
    /// The stored type if the file's keys are widened to key_type(); nullopt if they are not.
    [[nodiscard]] virtual std::optional<NarrowType> narrow_type() const { return std::nullopt; }
    /// nullopt if the count is unknown before reading to the end, as for CSV and pipes.
    [[nodiscard]] virtual std::optional<std::uint64_t> key_count() const = 0;
    /// Fills the front of `block` with whole keys in native byte order. \return the number of keys,
    /// less than the capacity only at the end of the file, then 0. \pre at least one key fits
    [[nodiscard]] virtual Expected<std::size_t> read(std::span<std::byte> block) = 0;
    /// Offset at which the file stores the keys as words, for direct reads; nullopt if it stores
    /// them otherwise (narrow, compressed, text) or can be read only once.
    [[nodiscard]] virtual std::optional<std::uint64_t> file_offset_bytes() const {
        return std::nullopt;
    }
    /// The skipped header of a CSV file, known after the first read(); nullopt if there is none.
    [[nodiscard]] virtual std::optional<std::string> header() const { return std::nullopt; }
    /// Number of CSV columns that are ignored, known after the first read().
    [[nodiscard]] virtual std::size_t other_columns() const { return 0; }
};

} // namespace keyswap::model
