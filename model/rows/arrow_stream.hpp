#pragma once

/// \file Tables from the Arrow C data and stream interfaces, which pyarrow, Polars, DuckDB, cuDF
/// and pandas export. Source: Apache Arrow, "The Arrow C data interface" and "The Arrow C stream
/// interface". The structs are the published ABI, so that no library is needed.

#include "model/rows/row_table.hpp"

#include <cstdint>
#include <string>

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

extern "C" {

struct ArrowSchema {
    char const* format;
    char const* name;
    char const* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    struct ArrowSchema** children;
    struct ArrowSchema* dictionary;
    void (*release)(struct ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    void const** buffers;
    struct ArrowArray** children;
    struct ArrowArray* dictionary;
    void (*release)(struct ArrowArray*);
    void* private_data;
};

} // extern "C"

#endif // ARROW_C_DATA_INTERFACE

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

extern "C" {

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
    int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
    char const* (*get_last_error)(struct ArrowArrayStream*);
    void (*release)(struct ArrowArrayStream*);
    void* private_data;
};

} // extern "C"

#endif // ARROW_C_STREAM_INTERFACE

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
