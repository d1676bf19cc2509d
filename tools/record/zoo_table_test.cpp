/// \file Compares the table of the zoo, proptests/testing/ZOO.md, with results of `keyswap record
/// --zoo` for sorts with the faults listed there.

#include "model/distributions/key_zoo.hpp"
#include "tools/testing/program_process.hpp"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace keyswap {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Words = std::vector<std::string>;
using testing::ProgramProcess;
using testing::TemporaryFolder;

std::string content_of(fs::path const& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string table_text() {
    return content_of(KEYSWAP_SOURCE_DIR "/proptests/testing/ZOO.md");
}

/// Removes surrounding spaces and backquotes.
std::string plain(std::string const& cell) {
    auto const first = cell.find_first_not_of(" `");
    auto const last = cell.find_last_not_of(" `");
    return first == std::string::npos ? "" : cell.substr(first, last - first + 1);
}

Words split(std::string const& text, char separator) {
    Words parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) {
        parts.push_back(plain(part));
    }
    return parts;
}

/// Rows of all tables with so many columns, without their headers.
std::vector<Words> rows_of(std::size_t column_count) {
    std::vector<Words> rows;
    std::istringstream text(table_text());
    for (std::string line; std::getline(text, line);) {
        Words cells = split(line, '|');
        bool const is_row = line.starts_with("| ") && cells.size() == column_count + 1;
        if (is_row && cells[1] != "reports") {
            cells.erase(cells.begin());
            rows.push_back(std::move(cells));
        }
    }
    return rows;
}

struct Row {
    std::string input;
    std::string fault;
    Words options;
    std::string kind;

    friend std::ostream& operator<<(std::ostream& out, Row const& row) {
        return out << row.fault << " on " << row.input;
    }
};

std::vector<Row> planted_rows() {
    std::vector<Row> rows;
    for (Words const& cells : rows_of(6)) {
        Words options = split(cells[4], ' ');
        std::erase(options, "");
        rows.push_back({cells[2], cells[3], options, cells[5]});
    }
    return rows;
}

/// Output of `record --json` for a function of the library of faults.
Json result_of(TemporaryFolder const& folder, std::string const& function, Words const& options) {
    std::string const library = KEYSWAP_EXAMPLES "/zoo_faults.so";
    Words words{"record",
                "--json",
                "--library",
                library,
                "--function",
                function,
                "--folder",
                (folder.path() / "records").string()};
    words.insert(words.end(), options.begin(), options.end());
    ProgramProcess program(folder.path(), words);
    EXPECT_TRUE(program.wait(std::chrono::seconds(120)).has_value());
    EXPECT_EQ(program.errors(), "");
    return Json::parse(program.output(), nullptr, false);
}

class ZooTable : public ::testing::TestWithParam<Row> {};

TEST_P(ZooTable, InputFindsThePlantedFault) {
    TemporaryFolder const folder;
    Words options = GetParam().options;
    options.insert(options.end(), {"--zoo", GetParam().input});
    Json const found = result_of(folder, GetParam().fault, options);
    ASSERT_FALSE(found.is_discarded());
    EXPECT_FALSE(found["holds"]) << found;
    EXPECT_TRUE(found["kinds"].contains(GetParam().kind)) << found;
}

INSTANTIATE_TEST_SUITE_P(Of, ZooTable, ::testing::ValuesIn(planted_rows()), [](auto const& given) {
    return std::to_string(given.index) + "_" + given.param.fault;
});

TEST(ZooTable, ARightSortPassesAllInputsOfEveryType) {
    TemporaryFolder const folder;
    for (std::string const type : {"u32", "u64", "i32", "i64", "f32", "f64"}) {
        Json const found = result_of(folder, "right", {"--zoo", "--type", type});
        ASSERT_FALSE(found.is_discarded());
        EXPECT_TRUE(found["holds"]) << found;
        EXPECT_GE(found["cases"].size(), 30U);
    }
}

TEST(ZooTable, HasEveryFaultAndEveryReport) {
    std::set<std::string> planted;
    for (Row const& row : planted_rows()) {
        planted.insert(row.fault);
    }
    std::string const source =
        content_of(KEYSWAP_SOURCE_DIR "/proptests/third_party/zoo_faults.cpp");
    std::regex const function(R"(\nFAULTY(_PAIRS)?\((\w+)\))");
    std::size_t count = 0;
    for (std::sregex_iterator at(source.begin(), source.end(), function), end; at != end; ++at) {
        bool const is_faulty = (*at)[2] != "right";
        EXPECT_EQ(planted.contains((*at)[2]), is_faulty) << (*at)[2];
        count += is_faulty ? 1 : 0;
    }
    EXPECT_EQ(count, planted.size());

    std::set<std::string> reports;
    for (std::size_t const columns : {6, 3}) {
        for (Words const& cells : rows_of(columns)) {
            for (std::string const& report : split(cells[0], ',')) {
                reports.insert(report);
            }
        }
    }
    auto const expect_in_table = [&](auto const& zoo) {
        for (auto const& each : zoo) {
            EXPECT_TRUE(reports.contains(each.source)) << each.name << " of " << each.source;
        }
    };
    expect_in_table(model::key_zoo<std::int32_t>());
    expect_in_table(model::key_zoo<std::uint64_t>());
    expect_in_table(model::key_zoo<float>());
}

TEST(ZooTable, NamesTestsThatAreThere) {
    std::string sources;
    for (char const* const folder : {"kernels", "proptests"}) {
        for (auto const& entry :
             fs::recursive_directory_iterator(fs::path(KEYSWAP_SOURCE_DIR) / folder)) {
            std::string const name = entry.path().filename().string();
            if (name.ends_with("_test.cpp") || name.ends_with("_prop.cpp")) {
                sources += content_of(entry.path());
            }
        }
    }
    std::string const text = table_text();
    std::regex const test(R"(`(\w+)\.(\w+)`)");
    std::size_t count = 0;
    for (std::sregex_iterator at(text.begin(), text.end(), test), end; at != end; ++at, ++count) {
        std::string const written = "(" + (*at)[1].str() + ", " + (*at)[2].str();
        EXPECT_NE(sources.find(written), std::string::npos) << (*at)[0];
    }
    EXPECT_GE(count, 7U);
}

} // namespace
} // namespace keyswap
