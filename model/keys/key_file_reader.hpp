#pragma once

/// \file A reader of keys, whatever the format of their file.

#include "model/keys/narrow_type.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/records/key_type.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace keyswap::model {

/// Keys of a file from front to back.
class KeyFileReader {
  public:
    virtual ~KeyFileReader() = default;
    [[nodiscard]] virtual KeyType key_type() const = 0;
    /// What the file has, where its keys were widened to key_type().
    [[nodiscard]] virtual std::optional<NarrowType> narrow_type() const { return std::nullopt; }
    /// nullopt if only reading can count them, as for CSV and pipes.
    [[nodiscard]] virtual std::optional<std::uint64_t> key_count() const = 0;
    /// Fills the front of `block` with whole keys in this machine's byte order and returns how many
    /// keys that are: fewer than fit only at the end, then 0. \pre at least one key fits
    [[nodiscard]] virtual Expected<std::size_t> read(std::span<std::byte> block) = 0;
    /// Where in the file the keys lie just as read() gives them; nullopt if they do not, or
    /// if the file can be read only once.
    [[nodiscard]] virtual std::optional<std::uint64_t> file_offset_bytes() const {
        return std::nullopt;
    }
    /// The header of a CSV file that was passed over, once something was read.
    [[nodiscard]] virtual std::optional<std::string> heading() const { return std::nullopt; }
    /// Columns of a CSV file that were not read, once something was read.
    [[nodiscard]] virtual std::size_t other_columns() const { return 0; }
};

} // namespace keyswap::model
