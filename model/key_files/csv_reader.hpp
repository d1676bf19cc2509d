#pragma once

/// \file Reads the keys of a CSV column row by row.

#include "model/key_files/key_file_options.hpp"
#include "model/key_files/key_file_reader.hpp"
#include "traces/format/open_bytes.hpp"

#include <memory>
#include <string>

namespace keyswap::model {

/// Reads a column of a CSV file and skips its header. Unless options.is_part, a file with only a
/// header is refused, because the header may be a misread key. \param name subject of errors
/// \pre options.key_type
[[nodiscard]] std::unique_ptr<KeyFileReader>
make_csv_reader(std::unique_ptr<ByteSource> bytes, std::string name, KeyFileOptions options);

} // namespace keyswap::model
