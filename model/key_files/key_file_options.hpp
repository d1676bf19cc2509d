#pragma once

#include "model/key_files/key_file_format.hpp"
#include "model/key_files/narrow_type.hpp"
#include "traces/records/key_type.hpp"

#include <optional>
#include <string>

namespace keyswap::model {

/// How the user asked to read a file of keys.
struct KeyFileOptions {
    std::optional<KeyFileFormat> format; ///< derived from the file's name and first bytes if absent
    std::optional<KeyType> key_type;     ///< required for raw and CSV; an .npy file must match it
    std::optional<std::string> column = std::nullopt; ///< CSV column: number (from 1) or header
    /// Set for keys of 8 or 16 bits; key_type is then its widened_type().
    std::optional<NarrowType> narrow_type = std::nullopt;
    /// Origin of key_type for error messages, such as "the keys of a.npy"; absent if the user gave
    /// --type.
    std::optional<std::string> type_of = std::nullopt;
    /// Ignore `column` for .npy and raw files, and for CSV files with a single column.
    bool column_optional = false;
    bool is_part = false; ///< one of several files; may then consist of a header alone
    /// The file holds counts or indices: an .npy file may then have signed or unsigned numbers of
    /// 32 or 64 bits, regardless of key_type.
    bool are_indices = false;
};

} // namespace keyswap::model
