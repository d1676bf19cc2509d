#pragma once

/// \file Keys of a column of CSV, row by row.

#include "model/keys/csv_column.hpp"
#include "model/keys/key_file_reader.hpp"
#include "traces/format/byte_source.hpp"

#include <memory>
#include <optional>
#include <string>

namespace keyswap::model {

/// What is known of the file; members are those of KeyFileOptions.
struct CsvOptions {
    KeyType key_type = KeyType::u32;
    std::optional<NarrowType> narrow_type;
    std::optional<std::string> column;
    CsvColumn::Need need = CsvColumn::Need::always;
    std::optional<std::string> type_of;
    bool is_part = false;
};

/// \param name what errors are about
[[nodiscard]] std::unique_ptr<KeyFileReader>
make_csv_reader(std::unique_ptr<ByteSource> bytes, std::string name, CsvOptions options);

} // namespace keyswap::model
