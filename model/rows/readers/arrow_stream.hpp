#pragma once

/// \file Tables from the Arrow C data and stream interfaces, as exported by pyarrow, Polars,
/// DuckDB, cuDF and pandas. Source: Apache Arrow, "The Arrow C data interface" and "The
/// Arrow C stream interface". The structs are the published ABI, so no library is needed.

#include "model/rows/readers/arrow_abi.hpp"
#include "model/rows/table/row_table.hpp"

#include <string>

namespace keyswap::model {

/// Reads a stream to its end and takes ownership: the stream is released once, even on error, and
/// each array once no copy of the table uses it. Cells are not copied, except for decoded
/// dictionaries and string views. Types, lengths, offsets and UTF-8 are validated. The table has
/// the columns of the record batches, or a single column with the name in the schema, or "value" if
/// that is empty.
/// \param name table name in findings and errors
[[nodiscard]] Expected<RowTable> import_arrow_stream(ArrowArrayStream* stream, std::string name);

} // namespace keyswap::model
