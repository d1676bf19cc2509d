// Rows on the command line: `keyswap check --by` and `keyswap sort --with-rows`.

#include "tools/testing/program_run.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace keyswap::tools {
namespace {

class TableCommands : public FolderTest {
  protected:
    TableCommands() {
        put("before.csv", "region,amount,note\nN,2,a\nS,,\"b, c\"\nN,1,d\nS,1,e\n");
        put("after.csv", "region,amount,note\nN,1,d\nN,2,a\nS,1,e\nS,,\"b, c\"\n");
    }
    [[nodiscard]] ProgramRun run(std::vector<std::string> arguments) const {
        for (std::string& argument : arguments) {
            if (argument.find(".csv") != std::string::npos ||
                argument.find(".par") != std::string::npos ||
                argument.find(".arrow") != std::string::npos ||
                argument.find(".feather") != std::string::npos) {
                argument = path(argument);
            }
        }
        return run_program(arguments);
    }
    void expect_error(std::vector<std::string> const& arguments, std::string const& words) const {
        auto const outcome = run(arguments);
        EXPECT_EQ(outcome.code, ExitCode::could_not_run) << words;
        EXPECT_NE(outcome.errors.find(words), std::string::npos) << outcome.errors;
    }
};

TEST_F(TableCommands, CheckRowsByKeyColumns) {
    auto const right =
        run({"check", "before.csv", "after.csv", "--by", "region,amount", "--stable"});
    EXPECT_EQ(right.code, ExitCode::fine) << right.output << right.errors;
    EXPECT_NE(right.output.find("Columns: region string, amount int64, note string (guessed"),
              std::string::npos)
        << right.output;
    auto const wrong =
        run({"check", "before.csv", "after.csv", "--by", "region,amount:nulls-first"});
    EXPECT_EQ(wrong.code, ExitCode::violation);
    EXPECT_NE(wrong.output.find("nulls of 'amount' are last"), std::string::npos) << wrong.output;
}

TEST_F(TableCommands, CheckTheOrderOfOneTableAndOfParts) {
    auto const one = run({"check", "after.csv", "--by", "region"});
    EXPECT_EQ(one.code, ExitCode::fine) << one.errors;
    EXPECT_NE(one.output.find("check: the order of"), std::string::npos);
    EXPECT_NE(one.output.find("The rows are sorted by 'region': 4 rows."), std::string::npos);
    put("part1.csv", "region,amount,note\nN,1,d\nN,2,a\n");
    put("part2.csv", "region,amount,note\nS,1,e\nS,,\"b, c\"\n");
    EXPECT_EQ(run({"check", "before.csv", "part1.csv", "part2.csv", "--by", "region,amount"}).code,
              ExitCode::fine);
    auto const exchanged =
        run({"check", "before.csv", "part2.csv", "part1.csv", "--by", "region,amount"});
    EXPECT_EQ(exchanged.code, ExitCode::violation);
    EXPECT_NE(exchanged.output.find("where part 2 begins"), std::string::npos) << exchanged.output;
    EXPECT_NE(exchanged.output.find("given in the wrong order"), std::string::npos);
}

TEST_F(TableCommands, PrintFindingsAsJson) {
    auto const outcome = run({"check",
                              "before.csv",
                              "before.csv",
                              "--by",
                              "region,amount",
                              "--json",
                              "--hash-seed",
                              "7"});
    EXPECT_EQ(outcome.code, ExitCode::violation);
    auto const json = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(json.at("holds"), false);
    EXPECT_EQ(json.at("permutation"), true);
    EXPECT_EQ(json.at("order").at("row"), 2);
    EXPECT_EQ(json.at("order").at("column"), "region");
    EXPECT_EQ(json.at("hash_seed"), 7);
    EXPECT_EQ(json.at("guess").at("cause"), "untouched");
    // Recorded value: digests are equal on all machines.
    EXPECT_EQ(json.at("input").at("high"), "202e550bf6217332");
}

TEST_F(TableCommands, NameTheTypeThatWasGuessedFromTheInput) {
    put("floats.csv", "region,amount,note\nN,1.0,d\nN,2.0,a\nS,1.0,e\nS,,\"b, c\"\n");
    expect_error({"check", "before.csv", "floats.csv", "--by", "region"},
                 "give --schema 'amount:double'");
    EXPECT_EQ(run({"check",
                   "before.csv",
                   "floats.csv",
                   "--by",
                   "region,amount",
                   "--schema",
                   "amount:double"})
                  .code,
              ExitCode::fine);
}

TEST_F(TableCommands, RefuseFilesOfOtherProgramsWithTheLineThatHelps) {
    put("x.parquet", "PAR1 and more");
    expect_error({"check", "x.parquet", "after.csv", "--by", "region"},
                 "pandas.read_parquet('" + path("x.parquet") +
                     "').to_csv('rows.csv', index=False)");
    put("x.csv", "ARROW1 and more");
    expect_error({"check", "x.csv", "after.csv", "--by", "region"}, "pandas.read_feather(");
    // Arrow streams in the current format, and in that before version 0.15.
    std::string const message("\x10\0\0\0\0\0\x0a\0\x0c\0\x06\0\x05\0\x08\0\x0a\0\0\0\0\1\x04\0"
                              "\0\0\0\0",
                              28);
    for (std::string const name : {"x.arrow", "x.arrows", "x.feather", "y.csv"}) {
        for (std::string const& mark : {std::string("\xff\xff\xff\xff"), std::string()}) {
            put(name, mark + std::string("\x20\0\0\0", 4) + message + std::string(64, '\0'));
            expect_error({"check", name, "after.csv", "--by", "region"}, "rrow");
            expect_error({"check", name, "after.csv", "--type", "u32"}, "rrow");
            expect_error({"sort", name, "--type", "u32"}, "rrow");
        }
    }
}

TEST_F(TableCommands, RefuseOptionsThatContradict) {
    expect_error({"check", "before.csv", "after.csv", "--by", "region", "--type", "u32"},
                 "--schema");
    expect_error(
        {"check", "before.csv", "after.csv", "--by", "region", "--direction", "descending"},
        "--by amount:desc");
    expect_error({"check", "before.csv", "after.csv", "--schema", "amount:int8"}, "--by");
    expect_error({"check", "after.csv", "--by", "region", "--stable"}, "needs the rows before");
    expect_error({"sort", "before.csv", "--with-rows", "--by", "region"}, "--output");
    expect_error({"sort", "before.csv", "--by", "region"}, "--with-rows");
    expect_error({"sort", "before.csv", "--with-rows", "--output", "o.csv"}, "the key columns");
    expect_error({"sort",
                  "before.csv",
                  "--with-rows",
                  "--by",
                  "region",
                  "--output",
                  "o.csv",
                  "--column",
                  "amount"},
                 "--with-rows and --column");
}

TEST_F(TableCommands, SortRowsAsTheyAre) {
    auto const sorted = run(
        {"sort", "before.csv", "--with-rows", "--by", "region,amount", "--output", "sorted.csv"});
    EXPECT_EQ(sorted.code, ExitCode::fine) << sorted.errors;
    EXPECT_EQ(text("sorted.csv"), text("after.csv"));
    EXPECT_NE(sorted.output.find("sorted as numbers of 128 bits"), std::string::npos);
    put("long.csv", "name\nseventeen letters b\nseventeen letters a");
    auto const by_comparisons =
        run({"sort", "long.csv", "--with-rows", "--by", "name", "--output", "long_sorted.csv"});
    EXPECT_NE(by_comparisons.output.find("by comparisons"), std::string::npos);
    EXPECT_EQ(text("long_sorted.csv"), "name\nseventeen letters a\nseventeen letters b\n");
    auto const again =
        run({"sort", "long.csv", "--with-rows", "--by", "name", "--output", "long_sorted.csv"});
    EXPECT_EQ(again.code, ExitCode::could_not_run);
}

/// A .npy file of version 1.0.
std::string npy_text(std::string const& dtype, std::string const& shape, std::string const& data) {
    std::string dictionary =
        "{'descr': " + dtype + ", 'fortran_order': False, 'shape': " + shape + ", }\n";
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(dictionary.size()) + '\0' +
           dictionary + data;
}

TEST_F(TableCommands, CheckAndSortRecordsOfNumpy) {
    std::string const records = "[('k', '|u1'), ('name', '|S2')]";
    std::string const before = npy_text(records, "(3,)", std::string("\2b\0\1cc\1a\0", 9));
    std::string const after = npy_text(records, "(3,)", std::string("\1cc\1a\0\2b\0", 9));
    put("x.npy", before);
    put("y.npy", after);
    auto const right = run({"check", path("x.npy"), path("y.npy"), "--by", "k", "--stable"});
    EXPECT_EQ(right.code, ExitCode::fine) << right.output << right.errors;
    EXPECT_NE(right.output.find("Columns: k uint8, name string\n"), std::string::npos)
        << right.output;
    EXPECT_EQ(run({"check", path("x.npy"), path("y.npy"), "--by", "k,name"}).code,
              ExitCode::violation);
    auto const sorted =
        run({"sort", path("x.npy"), "--with-rows", "--by", "k", "--output", path("z.npy")});
    EXPECT_EQ(sorted.code, ExitCode::fine) << sorted.errors;
    EXPECT_EQ(text("z.npy"), after);
    put("x.csv", "k,name\n2,b\n1,cc\n1,a\n");
    EXPECT_EQ(run({"check", path("y.npy"), "x.csv", "--by", "name"}).code, ExitCode::violation);
}

TEST_F(TableCommands, RefuseOutputsOfAnotherFormatThanTheirRows) {
    put("x.npy", npy_text("'|u1'", "(2,)", "\2\1"));
    std::string const columns = "\2\1\4\3";
    std::string fortran = npy_text("'|u1'", "(2, 2)", columns);
    fortran.replace(fortran.find("False"), 5, " True");
    put("f.npy", fortran);
    put("x.npz", "PK");
    auto const expect_sort =
        [&](std::string const& input, std::string const& output, std::string const& words) {
            expect_error(
                {"sort", path(input), "--with-rows", "--by", "1", "--output", path(output)}, words);
            EXPECT_FALSE(std::filesystem::exists(path(output)));
        };
    expect_sort("x.npy", "o.csv", "ends in .csv");
    expect_sort("x.npy", "o.csv.gz", "ends in .csv");
    expect_sort("x.npy", "o.npz", "ends in .npz");
    expect_sort("before.csv", "o.npy", "ends in .npy");
    expect_sort("f.npy", "o.npy", "numpy.ascontiguousarray");
    expect_sort("x.npz", "o.npy", "not a complete zip archive");
    expect_error({"check", path("x.npy"), "--by", "1", "--schema", "1:int64"}, "as uint8");
    expect_error({"check", path("x.npy"), "--by", "1", "--schema", "2:int64"}, "no column '2'");
    expect_error({"check", path("x.npy"), "--by", "3"}, "no column '3'");
}

} // namespace
} // namespace keyswap::tools
