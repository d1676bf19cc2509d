#pragma once

#include "model/keys/key_file_format.hpp"
#include "model/keys/narrow_type.hpp"
#include "traces/records/key_type.hpp"

#include <optional>
#include <string>

namespace keyswap::model {

/// What a user says of a file of keys.
struct KeyFileOptions {
    std::optional<KeyFileFormat> format; ///< none: by the file's name
    std::optional<KeyType> key_type;     ///< needed for raw and CSV; an .npy file must agree
    std::optional<std::string> column = std::nullopt; ///< of CSV: its number from 1 on, or header
    /// Of keys of 8 or 16 bits, for which key_type is its widened_type().
    std::optional<NarrowType> narrow_type = std::nullopt;
    /// What else has key_type, such as "the keys of a.npy", where it is not what the user gave as
    /// --type.
    std::optional<std::string> type_of = std::nullopt;
    /// The column may be missing where a file has one column only, or none as .npy.
    bool column_if_several = false;
    bool is_part = false; ///< one of several files, which may consist of a header alone
    /// Numbers that count or point: an .npy file may hold them with or without a sign, in 32 or 64
    /// bits, whatever key_type is.
    bool are_indices = false;
};

} // namespace keyswap::model
