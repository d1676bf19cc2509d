#include "tools/backends/available_memory.hpp"
#include "tools/testing/program_run.hpp"

#include "tools/text/json.hpp"
#include "traces/format/trace_reader.hpp"

#include <zlib.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <unistd.h>

namespace keyswap::tools {
namespace {

using SortCommand = FolderTest;

/// A .npy file, version 1.0, with little-endian data.
std::string npy(std::string const& dtype, std::string const& shape, std::string const& data) {
    std::string header =
        "{'descr': '" + dtype + "', 'fortran_order': False, 'shape': " + shape + ", }";
    header += std::string(63 - (10 + header.size()) % 64, ' ') + '\n';
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(header.size() % 256);
    text += static_cast<char>(header.size() / 256);
    return text + header + data;
}

template <class Number>
std::string bytes(std::vector<Number> const& numbers) {
    return {reinterpret_cast<char const*>(numbers.data()), numbers.size() * sizeof(Number)};
}

TEST_F(SortCommand, SortsACsvColumnAndKeepsItsRows) {
    put("in.csv", "30\n10\n20\n10\n");
    auto const result = run_line("sort --input @in.csv --type i64 --gpu-count 3 --output @out.csv");
    EXPECT_EQ(result.code, ExitCode::fine) << result.errors;
    EXPECT_EQ(text("out.csv"), "10\n10\n20\n30\n");
    for (std::string const property :
         {"sorted      holds", "permutation holds", "balance     holds"}) {
        EXPECT_NE(result.output.find(property), std::string::npos) << result.output;
    }
}

TEST_F(SortCommand, WritesDescendingKeysAndTheIndicesThatTheyCameFrom) {
    put("in.bin", bytes<std::uint32_t>({5, 9, 5, 1}));
    auto const result =
        run_line("sort --input @in.bin --type u32 --direction descending --values 32 --gpu-count 2 "
                 "--output @out.bin --output-values @values.bin --json");
    EXPECT_EQ(result.code, ExitCode::fine) << result.errors;
    EXPECT_EQ(text("out.bin"), bytes<std::uint32_t>({9, 5, 5, 1}));
    EXPECT_EQ(text("values.bin"), bytes<std::uint32_t>({1, 0, 2, 3}));
    EXPECT_TRUE(Json::parse(result.output)["holds"]);
}

TEST_F(SortCommand, SortsFloatsWithNanLastAndSignedZerosApart) {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    put("in.npy", npy("<f4", "(5,)", bytes<float>({nan, 0.0F, 2.0F, -0.0F, -1.0F})));
    EXPECT_EQ(run_line("sort --input @in.npy --output @out.npy").code, ExitCode::fine);
    EXPECT_EQ(text("out.npy"), npy("<f4", "(5,)", bytes<float>({-1.0F, -0.0F, 0.0F, 2.0F, nan})));
}

TEST_F(SortCommand, SortsNoKeysAndFewerKeysThanGpus) {
    put("none.bin", "");
    put("two.bin", bytes<std::uint64_t>({2, 1}));
    for (std::string const name : {"none", "two"}) {
        EXPECT_EQ(run_line("sort --input " + path(name + ".bin") +
                           " --type u64 --gpu-count 16 --output " + path(name + ".sorted.bin"))
                      .code,
                  ExitCode::fine);
    }
    EXPECT_EQ(text("none.sorted.bin"), "");
    EXPECT_EQ(text("two.sorted.bin"), bytes<std::uint64_t>({1, 2}));
}

TEST_F(SortCommand, GivesTheSameTraceForTheSameSeed) {
    auto const record = [&](std::string const& name, std::string const& seed) {
        EXPECT_EQ(run_line("sort --distribution zipf --keys 5000 --seed " + seed +
                           " --gpu-count 3 --record " + path(name))
                      .code,
                  ExitCode::fine);
        return text(name);
    };
    std::string const first = record("a.jsonl", "7");
    EXPECT_GT(first.size(), 1000U);
    EXPECT_EQ(first, record("b.jsonl", "7"));
    EXPECT_NE(first, record("c.jsonl", "8"));
}

TEST_F(SortCommand, SaysWhatIsWrongWithAFileAndLeavesNothingBehind) {
    std::string rows;
    for (int row = 1; row <= 20; ++row) {
        rows += row == 17 ? "word\n" : std::to_string(row) + "\n";
    }
    put("word.csv", rows);
    put("odd.bin", "13 bytes long");
    std::string const data = bytes<float>({1, 2, 3});
    put("cut.npy", npy("<f4", "(3,)", data).substr(0, 135));
    put("complex.npy", npy("<c8", "(1,)", data));
    put("text.npy", npy("<U1", "(3,)", data));
    put("matrix.npy", npy("<u2", "(3, 2)", data));
    struct Wrong {
        std::string file;
        std::string message;
    };
    for (Wrong const& wrong : std::vector<Wrong>{
             {"word.csv", "row 17: 'word' is not a valid u32 key"},
             {"odd.bin", "has 13 bytes, which is not a multiple of the 4 bytes of a u32 key"},
             {"cut.npy", "is cut off"},
             {"complex.npy", "dtype '<c8' is not a key type"},
             {"text.npy", "it is text"},
             {"matrix.npy", "has 2 dimensions"}}) {
        std::vector<std::string> arguments{"sort",
                                           "--input",
                                           path(wrong.file),
                                           "--output",
                                           path("out"),
                                           "--record",
                                           path("trace")};
        if (!wrong.file.ends_with(".npy")) {
            arguments.insert(arguments.end(), {"--type", "u32"});
        }
        auto const before = files();
        auto const result = run_program(arguments);
        EXPECT_EQ(result.code, ExitCode::could_not_run) << wrong.file;
        EXPECT_NE(result.errors.find(wrong.message), std::string::npos) << result.errors;
        EXPECT_NE(result.errors.find(wrong.file), std::string::npos) << result.errors;
        EXPECT_EQ(files(), before);
    }
}

TEST_F(SortCommand, KeepsAnOutputThatWasThereWhereItCannotFinish) {
    put("in.csv", "2\nword\n");
    put("out.csv", "precious\n");
    EXPECT_EQ(run_line("sort --input @in.csv --type u32 --output @out.csv").code,
              ExitCode::could_not_run);
    EXPECT_EQ(text("out.csv"), "precious\n");
}

TEST_F(SortCommand, RefusesAnOutputPathBeforeAnyWork) {
    auto const result =
        run_line("sort --distribution uniform --keys 10 --output @no/such/folder/out.bin");
    EXPECT_EQ(result.code, ExitCode::could_not_run);
    EXPECT_NE(result.errors.find("cannot be written"), std::string::npos) << result.errors;
}

TEST_F(SortCommand, SortsAFileInLittleMemory) {
    ASSERT_EQ(run_line("generate --keys 200000 --type f64 --output @in.npy").code, ExitCode::fine);
    auto const result =
        run_line("sort @in.npy --memory 1Mi --output @out.npy --record @run.trace --json");
    ASSERT_EQ(result.code, ExitCode::fine) << result.errors;
    auto const json = Json::parse(result.output);
    EXPECT_GT(json.at("ranges").get<int>(), 5);
    EXPECT_EQ(json.at("written_bytes"), 2 * 8 * 200'000);
    EXPECT_EQ(run_line("check @in.npy @out.npy").code, ExitCode::fine);
    auto const verified = run_line("verify @run.trace");
    EXPECT_EQ(verified.code, ExitCode::fine) << verified.output << verified.errors;
    EXPECT_NE(verified.output.find("agrees with the model in input, memory"), std::string::npos)
        << verified.output;
    ASSERT_EQ(run_line("generate --keys 200000 --type f64 --seed 2 --force --output @in.npy").code,
              ExitCode::fine);
    EXPECT_EQ(run_line("verify @run.trace").code, ExitCode::violation);
}

TEST_F(SortCommand, SortsAFileInLittleMemoryByRanks) {
    ASSERT_EQ(run_line("generate --keys 60000 --type u64 --output @in.bin").code, ExitCode::fine);
    std::string const sort = "sort @in.bin --type u64 --memory 1Mi ";
    ASSERT_EQ(run_line(sort + "--output @alone.bin").code, ExitCode::fine);
    auto const result = run_line(sort + "--ranks 2 --output @out.bin --record @run.trace --json");
    ASSERT_EQ(result.code, ExitCode::fine) << result.errors;
    auto const json = Json::parse(result.output);
    EXPECT_EQ(json.at("ranks"), 2);
    EXPECT_EQ(json.at("written_bytes"), 2 * 8 * 60'000);
    EXPECT_TRUE(text("out.bin") == text("alone.bin"));
    EXPECT_EQ(run_line("verify @run.trace").code, ExitCode::fine);
    for (auto const& [line, error] :
         {std::pair{"sort @in.bin @in.bin --type u64 --ranks 2 --output @no.bin",
                    "--ranks: needs to know how much memory each rank may take"},
          {"sort @in.bin --type u64 --memory 1Mi --ranks 2 --backend cuda --output @no.bin",
           "--ranks and --backend cuda"},
          {"sort - --type u64 --memory 1Mi --ranks 2 --output @no.bin",
           "--ranks and standard input"},
          {"sort @in.bin --type u64 --memory 1Mi --ranks 2 --output @{rank}.bin",
           "files that every rank sees"},
          {"sort @in.bin --type u64 --memory 1Mi --ranks 0 --output @no.bin",
           "neither mpi nor a number of ranks"}}) {
        auto const refused = run_line(line);
        EXPECT_EQ(refused.code, ExitCode::could_not_run);
        EXPECT_NE(refused.errors.find(error), std::string::npos) << refused.errors;
    }
    EXPECT_EQ(files(), (std::vector<std::string>{"alone.bin", "in.bin", "out.bin", "run.trace"}));
}

TEST_F(SortCommand, RefusesRecordsInFilesThatAreNotRaw) {
    ASSERT_EQ(run_line("generate --record-bytes 9 --key 0:2 --keys 9 --output @in.bin").code,
              ExitCode::fine);
    for (std::string const line :
         {"sort @in.bin --record-bytes 9 --key 0:2 --output @out.npy",
          "generate --record-bytes 9 --key 0:2 --keys 9 --output @r.csv"}) {
        auto const result = run_line(line);
        EXPECT_EQ(result.code, ExitCode::could_not_run);
        EXPECT_NE(result.errors.find("records are written raw"), std::string::npos)
            << result.errors;
    }
}

TEST_F(SortCommand, SortsByRangesOfItselfWhatMemoryDoesNotHold) {
    ASSERT_EQ(run_line("generate --keys 200000 --type u64 --output @in.bin").code, ExitCode::fine);
    std::vector<std::string> const sort{
        "sort", path("in.bin"), "--type", "u64", "--force", "--output", path("out.bin")};
    for (auto const& [available, by_ranges] :
         {std::pair{std::uint64_t{257'000'000}, true}, {std::uint64_t{1'000'000'000}, false}}) {
        AvailableMemoryOverride const memory(available);
        auto const result = run_program(sort);
        ASSERT_EQ(result.code, ExitCode::fine) << result.errors;
        std::string const first = result.output.substr(0, result.output.find('\n'));
        EXPECT_EQ(first.find("in 128 MB of memory (half of what is available), by ranges in") !=
                      std::string::npos,
                  by_ranges)
            << first;
        EXPECT_EQ(run_line("check @in.bin @out.bin --type u64").code, ExitCode::fine);
    }
}

TEST_F(SortCommand, SortsSeveralFilesIntoOne) {
    put("a.bin", bytes<std::uint32_t>({5, 9}));
    put("b.npy", npy("<u4", "(3,)", bytes<std::uint32_t>({7, 1, 8})));
    put("c.csv", "price\n3\n5\n");
    auto const result = run_line(
        "sort @a.bin @b.npy @c.csv --type u32 --output @out.bin --record @run.trace --json");
    ASSERT_EQ(result.code, ExitCode::fine) << result.errors;
    EXPECT_EQ(text("out.bin"), bytes<std::uint32_t>({1, 3, 5, 5, 7, 8, 9}));
    auto const verified = run_program({"verify", path("run.trace")});
    EXPECT_EQ(verified.code, ExitCode::fine) << verified.output << verified.errors;
    EXPECT_NE(verified.output.find("agrees with the model in input, memory"), std::string::npos)
        << verified.output;
    put("c.csv", "price\n3\n6\n");
    EXPECT_EQ(run_program({"verify", path("run.trace")}).code, ExitCode::violation);
    EXPECT_EQ(Json::parse(result.output).at("inputs").size(), 3U);
    auto const same = run_line("sort @a.bin @b.npy --type u32 --force --output @b.npy");
    EXPECT_EQ(same.code, ExitCode::could_not_run);
    EXPECT_NE(same.errors.find("would be overwritten"), std::string::npos) << same.errors;
    auto const missing = run_line("sort @a.bin @no.bin --type u32 --output @new.bin");
    EXPECT_EQ(missing.code, ExitCode::could_not_run);
    EXPECT_NE(missing.errors.find("no.bin: cannot be read"), std::string::npos) << missing.errors;
    auto const values = run_line("sort @a.bin @b.npy --type u32 --output @new.bin --values 32");
    EXPECT_EQ(values.code, ExitCode::could_not_run);
    EXPECT_NE(values.errors.find("several inputs and --values"), std::string::npos)
        << values.errors;
    EXPECT_EQ(files(),
              (std::vector<std::string>{"a.bin", "b.npy", "c.csv", "out.bin", "run.trace"}));
}

TEST_F(SortCommand, StreamsCompressedFilesAndSaysWhatIsWrongWithThem) {
    ASSERT_EQ(run_line("generate --keys 200000 --type u64 --output @in.bin").code, ExitCode::fine);
    std::string const keys = text("in.bin");
    gzFile const file = ::gzopen(path("in.bin.gz").c_str(), "wb1");
    ASSERT_EQ(::gzwrite(file, keys.data(), static_cast<unsigned>(keys.size())),
              static_cast<int>(keys.size()));
    ASSERT_EQ(::gzclose(file), Z_OK);
    auto const sort = [&](std::string const& input, std::vector<std::string> const& shape) {
        std::vector<std::string> arguments{"sort",
                                           path(input),
                                           "--memory",
                                           "1Mi",
                                           "--force",
                                           "--output",
                                           path("out.bin"),
                                           "--record",
                                           path("run.trace"),
                                           "--json"};
        arguments.insert(arguments.end(), shape.begin(), shape.end());
        return run_program(arguments);
    };
    for (std::vector<std::string> const& shape :
         {std::vector<std::string>{"--type", "u64"}, {"--record-bytes", "8", "--key", "3:5"}}) {
        auto const result = sort("in.bin.gz", shape);
        ASSERT_EQ(result.code, ExitCode::fine) << result.errors;
        EXPECT_EQ(Json::parse(result.output).at("config").at("records"), 200'000);
        EXPECT_EQ(Json::parse(result.output).at("written_bytes"), 2 * 8 * 200'000);
        std::vector<std::string> check{"check", path("in.bin"), path("out.bin")};
        check.insert(check.end(), shape.begin(), shape.end());
        EXPECT_EQ(run_program(check).code, ExitCode::fine);
        check[1] = path("in.bin.gz");
        EXPECT_EQ(run_program(check).code, ExitCode::fine);
        auto const verified = run_line("verify @run.trace");
        EXPECT_EQ(verified.code, ExitCode::fine) << verified.output << verified.errors;
        EXPECT_NE(verified.output.find("agrees with the model in input, memory"), std::string::npos)
            << verified.output;
    }
    std::string const compressed = text("in.bin.gz");
    put("cut.bin.gz", compressed.substr(0, compressed.size() / 2));
    put("plain.gz", keys);
    for (auto const& [input, problem] :
         {std::pair{"cut.bin.gz", "is cut off"}, {"plain.gz", "is not compressed"}}) {
        auto const check = "check --record-bytes 8 --key 0:8 @" + std::string(input);
        for (auto const& refused :
             {sort(input, {"--record-bytes", "8", "--key", "0:8"}), run_line(check)}) {
            EXPECT_EQ(refused.code, ExitCode::could_not_run);
            EXPECT_NE(refused.errors.find(problem), std::string::npos) << refused.errors;
        }
    }
    EXPECT_EQ(files(),
              (std::vector<std::string>{
                  "cut.bin.gz", "in.bin", "in.bin.gz", "out.bin", "plain.gz", "run.trace"}));
}

TEST_F(SortCommand, WritesPartsThatCheckTakesInTheirOrder) {
    ASSERT_EQ(run_line("generate --keys 150001 --type f64 --output @in.npy").code, ExitCode::fine);
    std::vector<std::string> sort{"sort", path("in.npy"), "--memory", "1Mi", "--output"};
    auto const to = [&](std::string const& output, std::string const& parts) {
        auto arguments = sort;
        arguments.insert(arguments.end(), {path(output), "--output-parts", parts});
        return run_program(arguments);
    };
    auto const result = to("part-{part}.npy", "11");
    ASSERT_EQ(result.code, ExitCode::fine) << result.errors;
    std::vector<std::string> check{"check", "--input", path("in.npy"), "--output"};
    for (int i = 0; i < 11; ++i) {
        check.push_back(path("part-" + std::string(i < 10 ? "0" : "") + std::to_string(i)) +
                        ".npy");
    }
    auto const checked = run_program(check);
    EXPECT_EQ(checked.code, ExitCode::fine) << checked.output << checked.errors;
    EXPECT_EQ(files().size(), 12U);
    EXPECT_NE(to("part-{part}.npy", "12").errors.find("part-00.npy: already exists"),
              std::string::npos);
    EXPECT_NE(to("parts.npy", "3").errors.find("has no {part}"), std::string::npos);
    EXPECT_EQ(files().size(), 12U);
}

TEST_F(SortCommand, SaysThatItsScratchIsNoFolder) {
    put("in.csv", "3\n1\n");
    put("file", "");
    auto const result = run_line("sort @in.csv --type u32 --scratch @file --output @out.bin");
    EXPECT_EQ(result.code, ExitCode::could_not_run);
    EXPECT_NE(result.errors.find("give a --scratch"), std::string::npos) << result.errors;
}

TEST_F(SortCommand, WritesRangesToRegularFilesOfExistingFoldersOnly) {
    put("in.bin", bytes<std::uint32_t>({3, 1, 2}));
    auto const sort_to = [&](std::string const& output, std::string const& memory) {
        return run_line("sort @in.bin --type u32 --memory " + memory + " --force --output " +
                        output);
    };
    auto const device = sort_to("/dev/null", "1Mi");
    EXPECT_EQ(device.code, ExitCode::could_not_run);
    EXPECT_NE(device.errors.find("is not a regular file"), std::string::npos) << device.errors;
    auto const missing = sort_to(path("none") + "/out.bin", "1Mi");
    EXPECT_EQ(missing.code, ExitCode::could_not_run);
    EXPECT_NE(missing.errors.find("does not exist"), std::string::npos) << missing.errors;
    auto const greedy = sort_to(path("out.bin"), "1e18");
    EXPECT_EQ(greedy.code, ExitCode::could_not_run);
    EXPECT_NE(greedy.errors.find("bytes that are available"), std::string::npos) << greedy.errors;
}

TEST_F(SortCommand, SortsTextInLittleMemoryIntoNpy) {
    put("in.csv", "price\n30\n-10\n20\n");
    auto const result = run_line("sort @in.csv --type i64 --memory 1Mi --output @out.npy");
    ASSERT_EQ(result.code, ExitCode::fine) << result.errors;
    EXPECT_EQ(text("out.npy").substr(128), bytes<std::int64_t>({-10, 20, 30}));
}

TEST_F(SortCommand, RecordsWhichColumnOfAFileWasSortedAndInWhichFormat) {
    put("table.txt", "id,price\n1,30\n2,-10\n3,20\n");
    auto const sorted = run_program({"sort",
                                     path("table.txt"),
                                     "--format",
                                     "csv",
                                     "--column",
                                     "price",
                                     "--type",
                                     "i64",
                                     "--memory",
                                     "1Mi",
                                     "--record",
                                     path("run.trace"),
                                     "--output",
                                     path("out.bin")});
    ASSERT_EQ(sorted.code, ExitCode::fine) << sorted.errors;
    EXPECT_EQ(text("out.bin"), bytes<std::int64_t>({-10, 20, 30}));
    auto const verified = run_program({"verify", path("run.trace")});
    EXPECT_EQ(verified.code, ExitCode::fine) << verified.output << verified.errors;
    EXPECT_NE(verified.output.find("agrees with the model in input, memory"), std::string::npos)
        << verified.output;
    put("table.txt", "id,price\n1,30\n2,-10\n3,21\n");
    EXPECT_EQ(run_program({"verify", path("run.trace")}).code, ExitCode::violation);
}

TEST_F(SortCommand, SortsPairsOfNumbers) {
    put("in.bin", bytes<std::uint64_t>({300, 1, 2, 2, 70'000, 3, 2, 4}));
    std::vector<std::string> const shape{"--record-bytes", "16", "--key", "0:8", "--type", "u64"};
    auto const with_shape = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), shape.begin(), shape.end());
        return run_program(arguments);
    };
    auto const sorted = with_shape(
        {"sort", path("in.bin"), "--record", path("run.trace"), "--output", path("out.bin")});
    ASSERT_EQ(sorted.code, ExitCode::fine) << sorted.errors;
    EXPECT_EQ(text("out.bin"), bytes<std::uint64_t>({2, 2, 2, 4, 300, 1, 70'000, 3}));
    EXPECT_EQ(with_shape({"check", path("in.bin"), path("out.bin")}).code, ExitCode::fine);
    EXPECT_EQ(with_shape({"check", path("in.bin")}).code, ExitCode::violation);
    auto const verified = run_program({"verify", path("run.trace")});
    EXPECT_EQ(verified.code, ExitCode::fine) << verified.output << verified.errors;
    auto const wrong = run_program({"sort",
                                    path("in.bin"),
                                    "--record-bytes",
                                    "16",
                                    "--key",
                                    "0:10",
                                    "--type",
                                    "u64",
                                    "--output",
                                    path("new.bin")});
    EXPECT_EQ(wrong.code, ExitCode::could_not_run);
    EXPECT_NE(wrong.errors.find("has 10 bytes, and a u64 key has 8"), std::string::npos)
        << wrong.errors;
}

TEST_F(SortCommand, RefusesGpusForRangesWhereThereAreNone) {
    put("in.bin", bytes<std::uint64_t>({3, 1, 2}));
    auto const sort = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments{
            "sort", path("in.bin"), "--type", "u64", "--output", path("out.bin")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_program(arguments);
    };
    auto const cores = sort({"--gpu-memory", "1G"});
    EXPECT_EQ(cores.code, ExitCode::could_not_run);
    EXPECT_NE(cores.errors.find("give --backend cuda"), std::string::npos) << cores.errors;
    auto const algorithm =
        sort({"--memory", "1Mi", "--backend", "cuda", "--algorithm", "simd-merge"});
    EXPECT_EQ(algorithm.code, ExitCode::could_not_run);
    auto const threads = sort({"--memory", "1Mi", "--backend", "cuda", "--threads", "2"});
    EXPECT_EQ(threads.errors.find("--threads"), std::string::npos) << threads.errors;
    auto const in_memory = sort({"--backend", "cuda", "--threads", "2"});
    EXPECT_EQ(in_memory.code, ExitCode::could_not_run);
    EXPECT_NE(in_memory.errors.find("--threads: applies to"), std::string::npos)
        << in_memory.errors;
    EXPECT_EQ(files(), std::vector<std::string>{"in.bin"});
}

TEST_F(SortCommand, SortsRecordsThatCheckThenAccepts) {
    std::vector<std::string> const shape{"--record-bytes", "100", "--key", "3:10"};
    auto const with_shape = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), shape.begin(), shape.end());
        return run_program(arguments);
    };
    ASSERT_EQ(with_shape({"generate", "--keys", "20000", "--output", path("in.bin")}).code,
              ExitCode::fine);
    auto const sorted = with_shape({"sort",
                                    path("in.bin"),
                                    "--memory",
                                    "1Mi",
                                    "--record",
                                    path("run.trace"),
                                    "--output",
                                    path("out.bin")});
    ASSERT_EQ(sorted.code, ExitCode::fine) << sorted.errors;
    auto const verified = run_line("verify @run.trace");
    EXPECT_EQ(verified.code, ExitCode::fine) << verified.output << verified.errors;
    EXPECT_NE(verified.output.find("agrees with the model in input, memory"), std::string::npos)
        << verified.output;
    auto const fine = with_shape({"check", path("in.bin"), path("out.bin")});
    EXPECT_EQ(fine.code, ExitCode::fine) << fine.output;
    EXPECT_NE(fine.output.find("Duplicate keys: 0\n"), std::string::npos) << fine.output;
    EXPECT_EQ(with_shape({"check", path("in.bin")}).code, ExitCode::violation);
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    std::string const few = text("out.bin").substr(0, 50'000); // a pipe holds 64 KiB
    ASSERT_EQ(::write(pipe[1], few.data(), few.size()), ssize_t{50'000});
    ::close(pipe[1]);
    auto const piped = with_shape({"check", "/dev/fd/" + std::to_string(pipe[0])});
    ::close(pipe[0]);
    EXPECT_NE(piped.output.find("in order: 500 records"), std::string::npos)
        << piped.output << piped.errors;
    EXPECT_EQ(with_shape({"check", path(".")}).code, ExitCode::could_not_run);
    std::string changed = text("out.bin");
    changed[99] ^= 1; // outside the key
    put("changed.bin", changed);
    EXPECT_EQ(with_shape({"check", path("changed.bin")}).code, ExitCode::fine);
    auto const wrong = with_shape({"check", path("in.bin"), path("changed.bin")});
    EXPECT_EQ(wrong.code, ExitCode::violation);
    EXPECT_NE(wrong.output.find("records that the input does not have"), std::string::npos)
        << wrong.output;
}

TEST_F(SortCommand, RefusesOptionsThatWouldHaveNoEffect) {
    put("in.bin", bytes<std::uint32_t>({5, 1, 5, 3}));
    put("table.csv", "a,b\n2,x\n1,y\n");
    for (std::string const sort : {"sort @in.bin --type u32 --memory 1Mi",
                                   "sort @table.csv --with-rows --by a",
                                   "sort @in.bin --type u32 --backend cpu",
                                   "plan @in.bin --type u32 --external --memory 1Mi"}) {
        for (std::string const option : {"--gpu-count 5",
                                         "--variant fast",
                                         "--tolerance-ppm 7",
                                         "--ways 4",
                                         "--zero-order equal"}) {
            bool const writes = sort.starts_with("sort");
            auto const run = run_line(sort + " " + option + (writes ? " --output @out.csv" : ""));
            EXPECT_EQ(run.code, ExitCode::could_not_run) << sort << " " << option;
            EXPECT_EQ(files(), (std::vector<std::string>{"in.bin", "table.csv"}));
        }
    }
}

TEST_F(SortCommand, CarriesValuesOfAFile) {
    put("keys.bin", bytes<std::uint32_t>({5, 1, 5, 3}));
    put("values.bin", bytes<std::uint64_t>({50, 10, 51, 30}));
    auto const result = run_line("sort @keys.bin --type u32 --values @values.bin --output "
                                 "@sorted.bin --output-values @sorted-values.bin");
    ASSERT_EQ(result.code, ExitCode::fine) << result.errors;
    EXPECT_EQ(text("sorted-values.bin"), bytes<std::uint64_t>({10, 30, 50, 51}));
    put("few.bin", bytes<std::uint64_t>({50, 10, 51}));
    auto const refused =
        run_line("sort @keys.bin --type u32 --values @few.bin --output-values @none.bin");
    EXPECT_EQ(refused.code, ExitCode::could_not_run);
    EXPECT_NE(refused.errors.find("has 3 values for 4 keys"), std::string::npos) << refused.errors;
}

} // namespace
} // namespace keyswap::tools
