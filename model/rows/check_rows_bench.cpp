// Measures check_rows() in seconds on a table of four columns, stored as raw arrays by a script,
// before and after another program sorted it. Run by tools/scripts/rows-bench.

#include "model/rows/check_rows.hpp"

#include <chrono>
#include <cstdio>
#include <deque>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using namespace keyswap;
using namespace keyswap::model;

/// A file's bytes, which are never freed.
std::byte const* content_of(std::string const& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    static std::deque<std::vector<char>> contents;
    auto& bytes = contents.emplace_back(static_cast<std::size_t>(file.tellg()));
    file.seekg(0);
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return reinterpret_cast<std::byte const*>(bytes.data());
}

RowTable table_of(std::string const& prefix, std::uint64_t row_count) {
    RowTable table(prefix,
                   {{"id", *parse_cell_type("int64")},
                    {"price", *parse_cell_type("double")},
                    {"region", *parse_cell_type("string")},
                    {"day", *parse_cell_type("date")}});
    RowBatch batch{0, row_count, {}};
    batch.columns.push_back(fixed_cells(content_of(prefix + ".id"), 8));
    batch.columns.push_back(fixed_cells(content_of(prefix + ".price"), 8));
    ColumnChunk text = fixed_cells(content_of(prefix + ".text"), 0);
    text.offsets = content_of(prefix + ".offsets");
    batch.columns.push_back(text);
    ColumnChunk days = fixed_cells(content_of(prefix + ".day"), 4);
    days.valid = content_of(prefix + ".valid");
    batch.columns.push_back(days);
    table.add(std::move(batch));
    return table;
}

} // namespace

/// Arguments: folder, number of rows, keys in the syntax of --by.
int main(int argc, char** argv) {
    if (argc != 4) {
        std::fputs("usage: rows_bench FOLDER ROWS KEYS\n", stderr);
        return 2;
    }
    std::string const folder = argv[1];
    std::uint64_t const row_count = std::stoull(argv[2]);
    RowTable const before = table_of(folder + "/before", row_count);
    std::vector<RowTable> const after{table_of(folder + "/after", row_count)};
    auto const keys = parse_sort_keys(argv[3]);
    for (bool const stable : {false, true}) {
        RowCheckOptions options;
        options.stable = stable;
        options.zero_order = ZeroOrder::equal;
        auto const start = std::chrono::steady_clock::now();
        auto const check = check_rows(before, after, *keys, options);
        std::chrono::duration<double> const seconds = std::chrono::steady_clock::now() - start;
        std::printf("check%s: %.2f s, %s\n",
                    stable ? " --stable" : "",
                    seconds.count(),
                    check && check->holds() ? "holds" : "DOES NOT HOLD");
    }
    return 0;
}
