#pragma once

/// \file Tables from the Arrow C data and stream interfaces, which pyarrow, Polars, DuckDB, cuDF
/// and pandas export. Source: Apache Arrow, "The Arrow C data interface" and "The Arrow C stream
/// interface". The structs are the published ABI, so that no library is needed.

#include "model/rows/arrow_abi.hpp"
#include "model/rows/row_table.hpp"

#include <string>

namespace keyswap::model {

/// Reads a stream to its end. Takes it over: the stream, and each array once no copy of the table
/// needs it, are released once, also where an error is returned. Cells are not copied, but for
/// dictionaries, which are decoded, and for views of text. What the structs say is checked as far
/// as they allow: types, lengths, offsets, UTF-8. Columns of a record batch, or one column that has
/// the stream's name, or "value".
/// \param name what findings and errors call the table
[[nodiscard]] Expected<RowTable> import_arrow_stream(ArrowArrayStream* stream, std::string name);

/// The same of one array and its schema, both taken over.
[[nodiscard]] Expected<RowTable>
import_arrow_array(ArrowArray* array, ArrowSchema* schema, std::string name);

} // namespace keyswap::model
