#pragma once

/// \file Keys of a column of CSV, row by row.

#include "model/keys/key_file_options.hpp"
#include "model/keys/key_file_reader.hpp"
#include "traces/format/byte_source.hpp"

#include <memory>
#include <string>

namespace keyswap::model {

/// A column of a CSV file, its header passed over. One that is nothing but a header is refused,
/// as it may be a key that was taken for one. \param name what errors are about
/// \pre options.key_type
[[nodiscard]] std::unique_ptr<KeyFileReader>
make_csv_reader(std::unique_ptr<ByteSource> bytes, std::string name, KeyFileOptions options);

} // namespace keyswap::model
