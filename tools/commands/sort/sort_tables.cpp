#include "kernels/cpu/cpu_sort.hpp"
#include "model/key_files/file_content.hpp"
#include "model/key_files/key_file_format.hpp"
#include "model/rows/key_encoding.hpp"
#include "model/rows/readers/table_file.hpp"
#include "tools/commands/check/rows_fields.hpp"
#include "tools/commands/sort/sort_command.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/json_result.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/byte_sink.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace keyswap::tools {

namespace {

/// Row numbers in sorted order, and how they were sorted.
struct SortedRows {
    std::vector<std::uint64_t> rows;
    int key_bits = 0;
    bool by_engine = false;
};

/// Sorts row numbers by 128-bit keys, with the CPU's radix sort.
Expected<std::vector<std::uint64_t>> sort_encoded(std::vector<model::uint128> keys,
                                                  std::optional<unsigned> threads) {
    std::vector<std::uint64_t> rows(keys.size());
    std::iota(rows.begin(), rows.end(), std::uint64_t{0});
    std::vector<model::uint128> key_scratch(keys.size());
    std::vector<std::uint64_t> row_scratch(rows.size());
    kernels::CpuSortOptions options;
    options.key_type = KeyType::u128;
    options.value_type = ValueType::bits64;
    options.stability = Stability::stable;
    options.threads = std::clamp(
        threads.value_or(std::thread::hardware_concurrency()), 1U, kernels::cpu_threads_max);
    kernels::CpuSortArrays const arrays{std::as_writable_bytes(std::span(keys)),
                                        std::as_writable_bytes(std::span(rows)),
                                        std::as_writable_bytes(std::span(key_scratch)),
                                        std::as_writable_bytes(std::span(row_scratch))};
    KEYSWAP_RETURN_IF_ERROR(kernels::sort_on_cpu(options, arrays, nullptr));
    return rows;
}

/// True if rows are sorted, with rows of equal keys in input order.
bool is_in_order(model::RowTable const& table,
                 std::vector<model::ColumnOrder> const& orders,
                 std::vector<std::uint64_t> const& rows) {
    return std::adjacent_find(rows.begin(), rows.end(), [&](std::uint64_t a, std::uint64_t b) {
               auto const step = model::compare_rows(orders, table.place_of(a), table.place_of(b));
               return step > 0 || (step == 0 && a >= b);
           }) == rows.end();
}

Expected<SortedRows> sort_rows(model::RowTable const& table,
                               std::vector<model::ColumnOrder> const& orders,
                               std::optional<unsigned> threads) {
    auto encoded = model::encode_keys(table, orders);
    SortedRows sorted;
    sorted.key_bits = encoded.bits;
    sorted.by_engine = encoded.keys.size() == table.row_count();
    if (sorted.by_engine) {
        KEYSWAP_TRY(sorted.rows, sort_encoded(std::move(encoded.keys), threads));
    } else {
        sorted.rows = model::sorted_rows(table, orders);
    }
    KEYSWAP_ENSURES(is_in_order(table, orders, sorted.rows));
    return sorted;
}

/// Returns an error unless rows can be copied unchanged from the input to the output's format.
Expected<void> check_formats(model::TableFile const& read, SortCommand const& options) {
    std::string const file = printable_text(*options.sort.input);
    if (read.has_types && read.record_bytes == 0) {
        bool const is_archive = read.header.empty();
        return input_error(
            display_name(*options.sort.input),
            "has its columns one after the other, and --with-rows writes rows as they lie in the "
            "input",
            is_archive ? "python3 -c \"import numpy; z = numpy.load('" + file +
                             "'); numpy.save('rows.npy', numpy.rec.fromarrays([z[n] for n in "
                             "z.files], names=z.files))\""
                       : "python3 -c \"import numpy; numpy.save('rows.npy', "
                         "numpy.ascontiguousarray(numpy.load('" +
                             file + "')))\"");
    }
    std::filesystem::path const name = model::uncompressed_name(*options.output);
    std::string const ending = model::lower_ending(name);
    if (auto const other = model::unsupported_extension(ending, model::FileContent::rows);
        other && ending != ".npz") {
        return input_error(
            *options.output,
            "has the extension of " + other->name + " files, which cannot be written",
            std::string("choose a name that ends in ") + (read.has_types ? ".npy" : ".csv"));
    }
    bool const is_text = model::format_of_name(name) == model::KeyFileFormat::csv;
    if (read.has_types ? is_text || ending == ".npz" : ending == ".npy" || ending == ".npz") {
        return input_error("--output",
                           "has a name that ends in " + ending +
                               ", and rows are written as they lie in the input, as " +
                               (read.has_types ? ".npy" : "CSV"),
                           std::string("give it a name that ends in ") +
                               (read.has_types ? ".npy" : ".csv"));
    }
    return {};
}

/// Writes the rows; adds the line end that the last line of a CSV file may lack.
Expected<void>
write_rows(model::TableFile const& read, SortedRows const& sorted, ByteSink& output) {
    bool const dos = read.header.ends_with("\r\n") ||
                     (!read.lines.empty() && read.lines.front().ends_with("\r\n"));
    std::string text(read.header);
    constexpr std::size_t written_at_once = std::size_t{1} << 20;
    for (std::uint64_t const row : sorted.rows) {
        text += read.row(row);
        if (!read.has_types && !text.ends_with('\n')) {
            text += dos ? "\r\n" : "\n";
        }
        if (text.size() >= written_at_once) {
            KEYSWAP_RETURN_IF_ERROR(output.write(text));
            text.clear();
        }
    }
    return output.write(text);
}

std::string method_text(SortedRows const& sorted) {
    std::string const bits = "The keys take " + counted(sorted.key_bits, "bit") + " together";
    return sorted.by_engine
               ? bits + ": sorted as numbers of 128 bits by buffered-radix."
               : "The keys do not fit into 128 bits together: sorted by comparisons on one core.";
}

} // namespace

Expected<ExitCode> sort_table(SortCommand const& options) {
    KEYSWAP_RETURN_IF_ERROR(check_files(options.files()));
    KEYSWAP_TRY(auto const keys, model::parse_sort_keys(*options.by).map_error(about("--by")));
    model::CsvTableOptions csv;
    csv.is_csv = options.sort.format == "csv" || is_standard_input(*options.sort.input);
    for (model::SortKey const& key : keys) {
        csv.names.push_back(key.column);
    }
    if (options.schema) {
        KEYSWAP_TRY(csv.schema, model::parse_schema(*options.schema));
    }
    KEYSWAP_TRY(auto const path, readable_path(*options.sort.input));
    KEYSWAP_TRY(auto const output, create_bytes(*options.output));
    KEYSWAP_TRY(auto const read, model::read_table_file(path, csv));
    KEYSWAP_RETURN_IF_ERROR(check_formats(read, options));
    KEYSWAP_TRY(auto const orders,
                model::column_orders(read.table, keys, ZeroOrder::total, NanOrder::total));
    KEYSWAP_TRY(auto const sorted, sort_rows(read.table, orders, options.runs_on.threads));
    KEYSWAP_RETURN_IF_ERROR(write_rows(read, sorted, *output));
    KEYSWAP_RETURN_IF_ERROR(output->finish());
    if (options.json) {
        auto json = json_result("sort",
                                {{"input", *options.sort.input},
                                 {"by", to_string(keys)},
                                 {"schema", document(options.schema)}});
        json["rows"] = read.table.row_count();
        json["columns"] = document(read.table.columns());
        json["key_bits"] = sorted.key_bits;
        json["engine"] = sorted.by_engine ? "buffered-radix" : "comparisons";
        print_json(json, options.files().text());
    } else {
        options.files().text() << "sort: " << counted(read.table.row_count(), "row") << " of "
                               << display_name(*options.sort.input) << " by "
                               << printable_text(to_string(keys)) << '\n'
                               << columns_line(read.table.columns(),
                                               csv.schema.empty() && !read.has_types)
                               << method_text(sorted) << '\n'
                               << "Rows with equal keys keep their order.\n";
    }
    return ExitCode::fine;
}

} // namespace keyswap::tools
