#include "model/rows/readers/numpy_table.hpp"

#include "model/key_files/npy_header.hpp"
#include "model/rows/readers/npy_cells.hpp"
#include "model/rows/readers/zip_archive.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/errors/utf8.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace keyswap::model {

namespace {

/// A column of an array: offset of its first cell and stride.
struct ArrayColumn {
    std::string name;
    NpyElement element;
    std::size_t at = 0;
    std::size_t stride_bytes = 0;
};

/// An array with a valid header and complete elements.
struct ArrayTable {
    std::vector<ArrayColumn> columns;
    std::uint64_t row_count = 0;
    std::size_t row_bytes = 0; ///< 0 in Fortran order
    std::string_view header;
    std::string_view elements;
};

std::string column_subject(std::string const& name, std::string const& column) {
    return name + ", column '" + printable_text(column) + "'";
}

std::string shape_text(std::vector<std::uint64_t> const& shape) {
    return "(" + joined_text(shape, ", ") + (shape.size() == 1 ? ",)" : ")");
}

InputError wrong_shape(NpyLayout const& layout, std::string const& name) {
    bool const has_records = !layout.fields.empty();
    return {name,
            "has the shape " + shape_text(layout.shape) + ", and a table is an array of " +
                (has_records ? "one dimension" : "one or two dimensions"),
            layout.shape.empty() || has_records ? "save a.ravel()" : "save a.reshape(len(a), -1)"};
}

/// Adds a column per field; fields without a name are padding and skipped.
Expected<void>
add_fields(ArrayTable& table, std::vector<NpyField> const& fields, std::string const& name) {
    for (NpyField const& field : fields) {
        std::string const subject = name + ", field '" + printable_text(field.name) + "'";
        if (field.is_array || field.descriptor.empty()) {
            return input_error(
                subject,
                field.is_array ? "has several elements in each record" : "is a nested record",
                "save it as fields of one element each: "
                "numpy.lib.recfunctions.structured_to_unstructured, or a copy of its parts");
        }
        if (!is_utf8(field.name)) {
            return input_error(
                subject, "has a name that is not UTF-8", "save the array again with numpy.save");
        }
        KEYSWAP_TRY(auto const element, parse_npy_element(field.descriptor, subject));
        if (!field.name.empty()) {
            table.columns.push_back({field.name, element, table.row_bytes});
        }
        table.row_bytes += element.size_bytes;
    }
    for (ArrayColumn& column : table.columns) {
        column.stride_bytes = table.row_bytes;
    }
    return {};
}

/// Adds columns "1", "2" ... of a 1-D or 2-D array.
Expected<void> add_numbered(ArrayTable& table,
                            NpyLayout const& layout,
                            std::uint64_t column_count,
                            std::string const& name) {
    constexpr std::uint64_t columns_max = 1'000'000;
    if (column_count == 0 || column_count > columns_max) {
        return input_error(name,
                           "has the shape " + shape_text(layout.shape) + ", which has " +
                               std::to_string(column_count) + " columns",
                           "save an array of 1 to " + std::to_string(columns_max) + " columns");
    }
    KEYSWAP_TRY(auto const element, parse_npy_element(layout.descriptor, name));
    bool const by_columns = layout.fortran_order && column_count > 1;
    table.row_bytes = element.size_bytes * column_count;
    for (std::uint64_t i = 0; i < column_count; ++i) {
        std::size_t const step =
            by_columns ? element.size_bytes * table.row_count : element.size_bytes;
        table.columns.push_back({std::to_string(i + 1),
                                 element,
                                 step * i,
                                 by_columns ? element.size_bytes : table.row_bytes});
    }
    return {};
}

/// \param bytes a whole .npy file
Expected<ArrayTable> read_array(std::string_view bytes, std::string const& name) {
    KEYSWAP_TRY(auto const header_bytes, npy_header_size(bytes, name));
    KEYSWAP_TRY(auto const layout, parse_npy_layout(bytes.substr(0, header_bytes), name));
    ArrayTable table;
    table.header = bytes.substr(0, header_bytes);
    table.elements = bytes.substr(header_bytes);
    bool const has_records = !layout.fields.empty();
    if (layout.shape.empty() || layout.shape.size() > (has_records ? 1 : 2)) {
        return tl::unexpected(wrong_shape(layout, name));
    }
    table.row_count = layout.shape.front();
    KEYSWAP_RETURN_IF_ERROR(
        has_records ? add_fields(table, layout.fields, name)
                    : add_numbered(
                          table, layout, layout.shape.size() == 2 ? layout.shape.back() : 1, name));
    if (table.columns.empty() || table.row_bytes == 0) {
        return input_error(name, "has elements of 0 bytes", "save an array that holds something");
    }
    // Compare by division: the product of a corrupt header's numbers may overflow.
    std::uint64_t const whole_rows = table.elements.size() / table.row_bytes;
    bool const has_rest = table.elements.size() % table.row_bytes != 0;
    if (whole_rows < table.row_count || whole_rows > table.row_count || has_rest) {
        return input_error(
            name,
            std::string(whole_rows < table.row_count ? "is cut off" : "is too long") +
                ": its header claims " + std::to_string(table.row_count) + " rows of " +
                std::to_string(table.row_bytes) + " bytes, and " +
                std::to_string(table.elements.size()) + " bytes follow",
            "save the array again with numpy.save");
    }
    bool const by_columns = layout.fortran_order && table.columns.size() > 1 && !has_records;
    table.row_bytes = by_columns ? 0 : table.row_bytes;
    return table;
}

/// The cells of columns of equal length.
class TableMaker {
  public:
    explicit TableMaker(std::uint64_t row_count) { batch_.row_count = row_count; }

    /// \param owner of the array's bytes
    Expected<void> add(ArrayTable const& array,
                       std::shared_ptr<void const> const& owner,
                       std::string const& name) {
        for (ArrayColumn const& column : array.columns) {
            auto const stored =
                fixed_cells(std::as_bytes(std::span(array.elements)).data() + column.at,
                            static_cast<std::ptrdiff_t>(column.stride_bytes));
            KEYSWAP_TRY(
                auto made,
                npy_column(
                    column.element, stored, array.row_count, column_subject(name, column.name)));
            infos_.push_back({column.name, made.type});
            made.cells.owner = made.cells.owner ? made.cells.owner : owner;
            batch_.columns.push_back(std::move(made.cells));
        }
        return {};
    }
    RowTable take(std::string const& name) {
        RowTable table(name, std::move(infos_));
        table.add(std::move(batch_));
        return table;
    }

  private:
    std::vector<ColumnInfo> infos_;
    RowBatch batch_;
};

/// Parses one array of a .npz file.
struct NamedArray {
    std::string name;
    UnpackedMember member;
    ArrayTable array;
};

Expected<NamedArray> read_member(ZipMember const& member, std::string const& name) {
    constexpr std::string_view ending = ".npy";
    if (!member.name.ends_with(ending) || !is_utf8(member.name)) {
        return input_error(name,
                           "is a zip archive that holds '" +
                               printable_text(member.name.substr(0, 200)) +
                               "', which is not a NumPy array",
                           "unpack it, or save the table as CSV");
    }
    std::string const array = member.name.substr(0, member.name.size() - ending.size());
    std::string const subject = name + ", array '" + printable_text(array) + "'";
    KEYSWAP_TRY(auto unpacked, unpack(member, name));
    KEYSWAP_TRY(auto read, read_array(unpacked.bytes, subject));
    return NamedArray{array, std::move(unpacked), std::move(read)};
}

} // namespace

Expected<TableFile> parse_npy_table(std::shared_ptr<std::string const> const& bytes,
                                    std::string const& name) {
    KEYSWAP_TRY(auto const array, read_array(*bytes, name));
    TableMaker maker(array.row_count);
    KEYSWAP_RETURN_IF_ERROR(maker.add(array, bytes, name));
    return TableFile{
        maker.take(name), true, array.header, {}, array.elements, array.row_bytes, bytes};
}

Expected<TableFile> parse_npz_table(std::shared_ptr<std::string const> const& bytes,
                                    std::string const& name) {
    KEYSWAP_TRY(auto const members, zip_members(*bytes, name));
    if (members.empty()) {
        return input_error(name, "holds no arrays", "save them with numpy.savez(file, a=a, b=b)");
    }
    std::vector<NamedArray> arrays;
    for (ZipMember const& member : members) {
        KEYSWAP_TRY(auto read, read_member(member, name));
        arrays.push_back(std::move(read));
    }
    NamedArray const& first = arrays.front();
    TableMaker maker(first.array.row_count);
    auto const owner_of = [&bytes](NamedArray const& array) {
        return array.member.owner ? array.member.owner : bytes;
    };
    for (NamedArray& each : arrays) {
        std::string const subject = name + ", array '" + printable_text(each.name) + "'";
        bool const is_column =
            each.array.columns.size() == 1 && each.array.columns.front().name == "1";
        if (!is_column && arrays.size() > 1) {
            return input_error(subject,
                               "has " + std::to_string(each.array.columns.size()) +
                                   " columns, and is one of several arrays",
                               "save each column as an array of its own, or the "
                               "array alone as .npy");
        }
        if (each.array.row_count != first.array.row_count) {
            return input_error(name,
                               "has arrays of two lengths: '" + printable_text(first.name) +
                                   "' of " + std::to_string(first.array.row_count) + " and '" +
                                   printable_text(each.name) + "' of " +
                                   std::to_string(each.array.row_count),
                               "save arrays of one length, a row of the table at each index");
        }
        if (is_column) {
            each.array.columns.front().name = each.name;
        }
        KEYSWAP_RETURN_IF_ERROR(maker.add(each.array, owner_of(each), name));
    }
    if (arrays.size() > 1) {
        return TableFile{maker.take(name), true};
    }
    ArrayTable const& alone = first.array;
    return TableFile{
        maker.take(name), true, alone.header, {}, alone.elements, alone.row_bytes, owner_of(first)};
}

} // namespace keyswap::model
