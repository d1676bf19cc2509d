#include "model/rows/readers/arrow_stream.hpp"

#include "model/rows/readers/arrow_cells.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <bit>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace keyswap::model {

static_assert(std::endian::native == std::endian::little, "the interface uses native numbers");

namespace {

/// Owns a struct of the interface; calls its release exactly once.
template <class Struct>
class Owned {
  public:
    Owned() = default;
    explicit Owned(Struct& from) : struct_(from) { from.release = nullptr; }
    Owned(Owned const&) = delete;
    Owned& operator=(Owned const&) = delete;
    ~Owned() {
        if (struct_.release != nullptr) {
            struct_.release(&struct_);
        }
    }

    Struct* address() { return &struct_; }
    Struct const& operator*() const { return struct_; }
    Struct const* operator->() const { return &struct_; }

  private:
    Struct struct_{};
};

Expected<void> add_array(RowTable& table,
                         ArrowColumns const& columns,
                         std::shared_ptr<Owned<ArrowArray>> const& owned) {
    ArrowArray const& array = **owned;
    RowBatch batch;
    auto const add_column =
        [&](ArrowColumn const& column, ArrowArray const& cells, ArrowRows rows) {
            return column_cells(column, cells, rows, table.name()).map([&](ColumnChunk made) {
                made.owner = made.owner ? made.owner : owned;
                batch.columns.push_back(std::move(made));
            });
        };
    if (!columns.is_record_batch) {
        batch.row_count = array.length < 0 ? 0 : static_cast<std::uint64_t>(array.length);
        KEYSWAP_RETURN_IF_ERROR(add_column(columns.columns.front(), array, {0, batch.row_count}));
    } else {
        KEYSWAP_RETURN_IF_ERROR(
            check_array(array, 0, static_cast<std::int64_t>(columns.columns.size()), table.name()));
        ArrowRows const rows{static_cast<std::uint64_t>(array.offset),
                             static_cast<std::uint64_t>(array.length)};
        KEYSWAP_RETURN_IF_ERROR(check_whole_rows(array, rows, table.name()));
        for (std::size_t i = 0; i < columns.columns.size(); ++i) {
            KEYSWAP_RETURN_IF_ERROR(add_column(columns.columns[i], *array.children[i], rows));
        }
        batch.row_count = rows.count;
    }
    table.add(std::move(batch));
    return {};
}

RowTable empty_table(std::string name, ArrowColumns const& columns) {
    std::vector<ColumnInfo> infos;
    for (ArrowColumn const& column : columns.columns) {
        infos.push_back(column.info);
    }
    return {std::move(name), std::move(infos)};
}

/// The error reported by the stream.
InputError stream_error(Owned<ArrowArrayStream>& stream, std::string const& name, int code) {
    char const* const text =
        stream->get_last_error != nullptr ? stream->get_last_error(stream.address()) : nullptr;
    return {name,
            "cannot be read: " + (text != nullptr ? printable_text(text) : std::strerror(code)),
            "the program that exports the data reports this"};
}

} // namespace

Expected<RowTable> import_arrow_stream(ArrowArrayStream* stream, std::string name) {
    if (stream == nullptr || stream->release == nullptr) {
        return input_error(name, "is a stream that was read before", "export the table again");
    }
    Owned<ArrowArrayStream> owned(*stream);
    if (owned->get_schema == nullptr || owned->get_next == nullptr) {
        return malformed_export(name, "is a stream whose functions are NULL");
    }
    Owned<ArrowSchema> schema;
    if (int const code = owned->get_schema(owned.address(), schema.address()); code != 0) {
        schema.address()->release = nullptr; // after a failed call the struct is not ours
        return tl::unexpected(stream_error(owned, name, code));
    }
    KEYSWAP_TRY(auto const columns, describe_arrow_columns(*schema, name));
    RowTable table = empty_table(std::move(name), columns);
    while (true) {
        auto const array = std::make_shared<Owned<ArrowArray>>();
        if (int const code = owned->get_next(owned.address(), array->address()); code != 0) {
            array->address()->release = nullptr;
            return tl::unexpected(stream_error(owned, table.name(), code));
        }
        if ((*array)->release == nullptr) {
            return table;
        }
        KEYSWAP_RETURN_IF_ERROR(add_array(table, columns, array));
    }
}

} // namespace keyswap::model
