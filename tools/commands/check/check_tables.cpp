#include "model/rows/readers/table_file.hpp"
#include "tools/commands/check/check_request.hpp"
#include "tools/commands/check/rows_fields.hpp"
#include "tools/options/exclude_options.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/progress.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <iostream>
#include <utility>

namespace keyswap::tools {

namespace {

using Tables = std::vector<model::RowTable>;

/// Reads tables; later ones have the column types of the first.
class TableReader {
  public:
    static Expected<TableReader> make(CheckOptions const& options, model::SortKeys const& keys) {
        TableReader reader;
        for (model::SortKey const& key : keys) {
            reader.csv_.names.push_back(key.column);
        }
        reader.is_csv_ = options.format == "csv";
        if (options.schema) {
            KEYSWAP_TRY(reader.csv_.schema, model::parse_schema(*options.schema));
        }
        return reader;
    }

    Expected<Tables> read(std::vector<std::string> const& files) {
        Tables tables;
        for (std::string const& file : files) {
            KEYSWAP_TRY(auto const path, readable_path(file));
            csv_.is_csv = is_csv_ || is_standard_input(file);
            KEYSWAP_TRY(auto read, model::read_table_file(path, csv_));
            if (!read_any_) {
                learn_types(read, file);
            }
            tables.push_back(std::move(read.table));
        }
        return tables;
    }
    /// True if types are inferred from cells; NumPy files and schemas define them.
    [[nodiscard]] bool guesses() const { return guesses_; }

  private:
    /// Fixes column types for later tables, except for columns that contain only nulls.
    void learn_types(model::TableFile const& read, std::string const& file) {
        read_any_ = true;
        csv_.types_are_fixed = read.has_types;
        guesses_ = csv_.schema.empty() && !read.has_types;
        for (model::ColumnInfo const& column : read.table.columns()) {
            if (column.type.kind != model::CellKind::null) {
                csv_.schema.push_back(column); // those of --schema take precedence
            }
        }
        csv_.guessed_from = display_name(file);
    }

    model::CsvTableOptions csv_;
    bool is_csv_ = false;
    bool read_any_ = false;
    bool guesses_ = false;
};

/// Concatenates the rows of all tables.
Expected<model::RowTable> joined(Tables const& tables) {
    model::RowTable all(tables.front().name(), tables.front().columns());
    for (model::RowTable const& table : tables) {
        if (table.columns() != all.columns()) {
            return input_error(table.name(),
                               "has other columns than " + all.name(),
                               "give all inputs the same columns in one order, and "
                               "their types as --schema");
        }
        for (model::RowBatch const& batch : table.batches()) {
            all.add(batch);
        }
    }
    return all;
}

Expected<model::RowCheckOptions> row_options(CheckOptions const& options) {
    model::RowCheckOptions result;
    KEYSWAP_TRY(result.zero_order, parse_zero_order(options.zero_order));
    KEYSWAP_TRY(result.nan_order, parse_nan_order(options.nan_order));
    result.stable = options.stable;
    result.hash_seed = options.hash_seed;
    result.thread_count = options.threads;
    return result;
}

/// Returns an error if an order of zeros or NaNs was chosen, but no key column has floats.
Expected<void> check_float_columns(Tables const& tables,
                                   model::SortKeys const& keys,
                                   model::RowCheckOptions const& options) {
    model::RowTable const& table = tables.front();
    for (model::SortKey const& key : keys) {
        KEYSWAP_TRY(auto const column, table.column_named(key.column));
        if (table.columns()[column].type.kind == model::CellKind::floating) {
            return {};
        }
    }
    return refuse_float_orders("these key columns",
                               "name a column of floats in --by, or its type in --schema",
                               options.zero_order,
                               options.nan_order);
}

/// Returns an error if an option requires the rows before the sort.
Expected<void> check_one_side(CheckOptions const& options) {
    return options.input.empty()
               ? refuse_given(*options.command,
                              "--stable --hash-seed",
                              "needs the rows before the sort, but only one file is named",
                              "write 'keyswap check INPUT OUTPUT --by ...', or leave it out to "
                              "check the order of the file")
               : Expected<void>();
}

void print_text(CheckOptions const& options, bool guessed, model::RowCheck const& check) {
    print_check_header(options, "rows by " + printable_text(to_string(check.keys)));
    if (check.before) {
        std::cout << "Hash seed: " << check.hash_seed << '\n';
    }
    std::cout << columns_line(check.columns, guessed) << "Rows count from 0, without the header.\n"
              << lines_of(sentences(check));
}

std::vector<JunitCase> junit_cases(model::RowCheck const& check) {
    std::string const found = lines_of(sentences(check));
    std::vector<JunitCase> cases{checked_case("sorted", check.sorted(), "unsorted", found)};
    if (check.before) {
        cases.push_back(checked_case(
            "permutation", check.permutation(), "lost, doubled or changed rows", found));
    }
    if (check.stable) {
        cases.push_back(checked_case("stable", *check.stable, "not stable", found));
    }
    return cases;
}

Json result_json(CheckOptions const& options, model::RowCheck const& check) {
    auto json = json_result("check",
                            {{"input", options.input.empty() ? Json() : files_json(options.input)},
                             {"output", files_json(options.output)},
                             {"by", to_string(check.keys)},
                             {"schema", document(options.schema)},
                             {"zero_order", options.zero_order},
                             {"nan_order", options.nan_order},
                             {"hash_seed", check.hash_seed}});
    json.update(document(check));
    return json;
}

} // namespace

Expected<ExitCode> check_rows_of_files(CheckOptions const& options) {
    KEYSWAP_RETURN_IF_ERROR(check_one_side(options));
    KEYSWAP_RETURN_IF_ERROR(check_files(options.named()));
    KEYSWAP_TRY(auto const keys, model::parse_sort_keys(*options.by).map_error(about("--by")));
    KEYSWAP_TRY(auto row_check_options, row_options(options));
    KEYSWAP_TRY(auto reader, TableReader::make(options, keys));
    KEYSWAP_TRY(auto const inputs, reader.read(options.input));
    KEYSWAP_TRY(auto const outputs, reader.read(options.output));
    KEYSWAP_RETURN_IF_ERROR(check_float_columns(outputs, keys, row_check_options));
    KEYSWAP_TRY(auto const check, [&]() -> Expected<model::RowCheck> {
        Progress progress("checking", 0);
        row_check_options.on_rows_read = progress.steps();
        if (inputs.empty()) {
            return model::check_row_order(outputs, keys, row_check_options);
        }
        KEYSWAP_TRY(auto const input, joined(inputs));
        return model::check_rows(input, outputs, keys, row_check_options);
    }());
    return end_check(
        options,
        check.holds(),
        junit_cases(check),
        [&] { return result_json(options, check); },
        [&] { print_text(options, reader.guesses(), check); });
}

} // namespace keyswap::tools
