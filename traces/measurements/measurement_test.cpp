#include "traces/measurements/measurement.hpp"

#include "traces/records/key_type.hpp"
#include "traces/testing/trace_fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace keyswap {
namespace {

using namespace testing;

std::filesystem::path published(std::string const& name) {
    return std::filesystem::path(KEYSWAP_MEASUREMENTS) / name;
}

/// The header of a published file and the given row.
std::string with_header(std::string const& row) {
    return measurements_text({}) + row + "\n";
}

std::string const two_gpus =
    R"(A100,8,radix-mgpu-sort,1000000,"0,1",128,uint32,zipf,0.5,500000,41,270.4735,266.4735,)"
    R"(256.2,1,"0.236,{(0.034),(0.0222)},0.969,2.446,0,0.231,{(0.031),(0.0221)},0.968,2.435,0",)"
    R"(7.182)";

TEST(Measurements, ReadsEveryPublishedRow) {
    auto const ac922 = read_measurements(published("ac922.csv"));
    auto const dgx = read_measurements(published("dgx-a100.csv"));
    ASSERT_TRUE(ac922) << ac922.error().message();
    ASSERT_TRUE(dgx) << dgx.error().message();
    EXPECT_EQ(ac922->size(), 245U);
    EXPECT_EQ(dgx->size(), 410U);
    for (auto const& rows : {*ac922, *dgx}) {
        for (Measurement const& row : rows) {
            EXPECT_TRUE(parse_key_type(row.key_type)) << row.key_type;
            EXPECT_EQ(row.phases.size(), row.gpus.size());
            EXPECT_GT(row.total_ms, 0);
            if (row.gpus.size() > 1) {
                EXPECT_EQ(row.chunk_size, (row.key_count + row.gpus.size() - 1) / row.gpus.size());
                EXPECT_EQ(row.phases.back().histogram_ms.size(), row.passes);
            }
        }
    }
}

TEST(Measurements, PhasesOfLargeUniformPublishedRunsAddUpToNearlyTheTotal) {
    auto const rows = read_measurements(published("dgx-a100.csv"));
    ASSERT_TRUE(rows);
    int checked = 0;
    for (Measurement const& row : *rows) {
        if (row.gpus.size() < 2 || row.key_count < 1'000'000'000 || row.distribution != "uniform") {
            continue;
        }
        auto const slowest = [&](auto phase) {
            double time_ms = 0;
            for (GpuPhases const& gpu : row.phases) {
                time_ms = std::max(time_ms, phase(gpu));
            }
            return time_ms;
        };
        auto const sum = [](std::vector<double> const& times) {
            return std::accumulate(times.begin(), times.end(), 0.0);
        };
        double const total_ms =
            slowest([](GpuPhases const& gpu) { return gpu.host_to_device_ms; }) +
            slowest([&](GpuPhases const& gpu) { return sum(gpu.histogram_ms); }) +
            slowest([&](GpuPhases const& gpu) { return sum(gpu.scatter_ms); }) +
            slowest([](GpuPhases const& gpu) { return gpu.key_swap_ms; }) +
            slowest([](GpuPhases const& gpu) { return gpu.sort_ms; }) +
            slowest([](GpuPhases const& gpu) { return gpu.device_to_host_ms; });
        EXPECT_GT(total_ms / row.total_ms, 0.9) << row.key_count;
        EXPECT_LT(total_ms / row.total_ms, 1.01) << row.key_count;
        ++checked;
    }
    EXPECT_GT(checked, 50);
}

TEST(Measurements, ReadsTheFieldsOfARow) {
    auto const rows = parse_measurements(with_header(two_gpus), "a.csv");
    ASSERT_TRUE(rows) << rows.error().message();
    Measurement const& row = rows->front();
    EXPECT_EQ(row.gpus, (std::vector<int>{0, 1}));
    EXPECT_EQ(row.parameter, 0.5);
    EXPECT_EQ(row.phases[1], (GpuPhases{0.231, {0.031}, {0.0221}, 0.968, 2.435, 0}));
    auto const single = parse_measurements(
        with_header(R"(V100,4,thrust-sort,10,3,64,uint64,zero,0,10,1,1,1,1,0,"0.1,0,0.2,0.3",0.6)"),
        "a.csv");
    ASSERT_TRUE(single) << single.error().message();
    EXPECT_EQ(single->front().phases.front(), (GpuPhases{0.1, {}, {}, 0, 0.2, 0.3}));
    auto const cpu = parse_measurements(
        with_header("V100,4,paradis-sort,10,-,64,uint64,zero,0,0,0,0,0,0,0,,0.6"), "a.csv");
    ASSERT_TRUE(cpu) << cpu.error().message();
    EXPECT_TRUE(cpu->front().gpus.empty() && cpu->front().phases.empty());
}

TEST(Measurements, ReadsWhatTheRmgProgramItselfPrints) {
    // The format of published rows without the column that the scripts add.
    auto const whole = parse_measurements(with_header(two_gpus), "a.csv");
    std::string text = with_header(two_gpus);
    for (std::string const part : {"sorting_algorithm,", "radix-mgpu-sort,"}) {
        text.erase(text.find(part), part.size());
    }
    auto const rows = parse_measurements(text, "rmg.csv");
    ASSERT_TRUE(rows) << rows.error().message();
    EXPECT_EQ(*rows, *whole);
    EXPECT_TRUE(looks_like_measurements(text));
}

TEST(Measurements, ReadsWhatTheMergeSortsProgramPrints) {
    std::string const text =
        "num_elements,algorithm,gpus,data_type,distribution_type,sort_duration\n"
        "2000000000,p2p,\"0,2\",uint32,uniform,383.0\n"
        "2000000000,HET_2N,0 2,float64,zipf,555\r\n";
    ASSERT_TRUE(looks_like_measurements(text));
    auto const rows = parse_measurements(text, "merge.csv");
    ASSERT_TRUE(rows) << rows.error().message();
    ASSERT_EQ(rows->size(), 2U);
    EXPECT_EQ((*rows)[0].algorithm, "p2p-merge");
    EXPECT_EQ((*rows)[0].gpus, (std::vector<int>{0, 2}));
    EXPECT_EQ((*rows)[0].total_ms, 383.0);
    EXPECT_TRUE((*rows)[0].phases.empty());
    EXPECT_EQ((*rows)[1].algorithm, "het-merge");
    EXPECT_EQ((*rows)[1].gpus, (std::vector<int>{0, 2}));
    EXPECT_EQ((*rows)[1].key_type, "float64");
    EXPECT_EQ(parse_measurements(measurements_text(*rows), "again.csv").value(), *rows);
    EXPECT_FALSE(looks_like_measurements("platform,algorithm,num_keys,gpus,total_ms\n"));
    auto const wrong = parse_measurements("num_elements,gpus,sort_duration\n5,0;x,1\n", "m.csv");
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().message().find("m.csv, row 2: column gpus"), std::string::npos);
}

TEST(Measurements, ReadsTheMergeSortsProgramsSecondsWithAndWithoutItsHeaderLine) {
    std::string const columns = "num_elements,algorithm,gpus,data_type,distribution,seed,threads,"
                                "chunk,merge_group,buffers,alloc_s,sort_s,dealloc_s,total_s\n";
    std::string const lines =
        "2000000000,tanasic,\"0,2\",uint32,uniform,1,64,0,2,2,0.9,0.383,0.1,1.4\n"
        "2000000000,gowanlock,0;2,float64,zipf,1,64,0,2,3,0.9,0.555,0.1,1.6\n";
    for (std::string const& text : {columns + lines, lines}) {
        ASSERT_TRUE(looks_like_measurements(text));
        auto const rows = parse_measurements(text, "merge.csv");
        ASSERT_TRUE(rows) << rows.error().message();
        ASSERT_EQ(rows->size(), 2U);
        EXPECT_EQ((*rows)[0].algorithm, "p2p-merge");
        EXPECT_EQ((*rows)[0].gpus, (std::vector<int>{0, 2}));
        EXPECT_EQ((*rows)[0].total_ms, 383.0);
        EXPECT_EQ((*rows)[0].cpu_threads, 64U);
        EXPECT_EQ((*rows)[1].algorithm, "het-merge");
        EXPECT_EQ((*rows)[1].key_type, "float64");
        EXPECT_EQ((*rows)[1].distribution, "zipf");
        EXPECT_EQ((*rows)[1].total_ms, 555.0);
    }
    std::string wrong = lines;
    wrong.replace(wrong.find("0.383"), 5, "fast");
    auto const refused = parse_measurements(wrong, "m.csv");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("m.csv, row 1: column sort_s must be a number"),
              std::string::npos)
        << refused.error().message();
}

TEST(Measurements, RowsOfOtherProgramsNeedNoHeaderLineEither) {
    auto const whole = parse_measurements(with_header(two_gpus), "a.csv");
    EXPECT_EQ(parse_measurements(two_gpus, "a.csv").value(), *whole);
    std::string of_rmg = two_gpus;
    of_rmg.erase(of_rmg.find("radix-mgpu-sort,"), std::string("radix-mgpu-sort,").size());
    EXPECT_EQ(parse_measurements(of_rmg, "a.csv").value(), *whole);
    EXPECT_FALSE(looks_like_measurements("1,2,3,4,5,6,7,8,9,10,11,12,13\n"));
    EXPECT_FALSE(looks_like_measurements("a,b,c,d,e,f,g,h,i,j,k,l,m,n\n"));
}

TEST(Measurements, ColumnsAreNamedInAnyCaseAndTheOthersListed) {
    std::string const text = "num_keys,GPUs,Duration,Key_Type,distribution,values,seed\n"
                             "1000,0 1,2.5,u64,zipf,32,1\n";
    auto const rows = parse_measurements(text, "m.csv");
    ASSERT_TRUE(rows) << rows.error().message();
    EXPECT_EQ(rows->front().key_type, "u64");
    EXPECT_EQ(rows->front().total_ms, 2.5);
    EXPECT_FALSE(rows->front().parameter); // not 0, which would be uniform
    EXPECT_EQ(unused_columns(text), std::vector<std::string>{"values"});
    EXPECT_TRUE(unused_columns(measurements_text(*rows)).empty());
    EXPECT_EQ(parse_measurements(measurements_text(*rows), "m.csv").value(), *rows);
}

TEST(Measurements, ATimeOfZeroAndABlankRowAreRefused) {
    std::string const header = "num_keys,gpus,total_sort_duration\n";
    for (auto const& [row, words] : {std::pair{"1000,0,0\n", "positive number"},
                                     std::pair{"1000,0,1\n\n", "row 3: is blank"}}) {
        auto const rows = parse_measurements(header + row, "m.csv");
        ASSERT_FALSE(rows) << row;
        EXPECT_NE(rows.error().message().find(words), std::string::npos) << rows.error().message();
    }
}

TEST(Measurements, SurviveWritingAndReading) {
    TemporaryFolder const folder;
    for (std::string const name : {"ac922.csv", "dgx-a100.csv"}) {
        auto const rows = read_measurements(published(name));
        ASSERT_TRUE(rows);
        ASSERT_TRUE(write_measurements(folder / name, *rows));
        EXPECT_EQ(read_measurements(folder / name).value(), *rows);
    }
    EXPECT_FALSE(write_measurements(folder / "none/a.csv", {}));
}

TEST(Measurements, NameWhatATableInAnotherFormIs) {
    auto const message = [](std::string const& text) {
        auto const rows = parse_measurements(text, "a.csv");
        return rows ? "" : rows.error().message();
    };
    std::string const table = "num_keys,gpus,total_sort_duration\n1000000,0,1.5\n";
    EXPECT_EQ(message(table), "");
    EXPECT_EQ(message("\xef\xbb\xbf" + table), "");
    auto const with = [&table](char from, char to) {
        std::string changed = table;
        std::ranges::replace(changed, from, to);
        return changed;
    };
    EXPECT_EQ(message(with('\n', '\r')),
              "a.csv: has lines that end in a carriage return alone (end them in line feeds: tr "
              "'\\r' '\\n')");
    EXPECT_NE(message(with(',', ';')).find("a.csv: has semicolons between its columns"),
              std::string::npos);
    EXPECT_NE(message(with(',', '\t')).find("a.csv: has tabulators between its columns"),
              std::string::npos);
    for (std::size_t const zero : {0U, 1U}) {
        std::string wide = zero == 0 ? "\xfe\xff" : "\xff\xfe";
        for (char const letter : table) {
            wide += zero == 0 ? std::string{'\0', letter} : std::string{letter, '\0'};
        }
        EXPECT_NE(message(wide).find("a.csv: is text of UTF-16 (save it as UTF-8: iconv"),
                  std::string::npos);
        EXPECT_NE(message(wide.substr(2)).find("is text of UTF-16"), std::string::npos);
    }
}

TEST(Measurements, NameFileRowAndColumnOfWhatIsWrong) {
    auto const message = [](std::string const& text) {
        auto const rows = parse_measurements(text, "a.csv");
        return rows ? "" : rows.error().message();
    };
    auto const changed = [&](std::string const& from, std::string const& to) {
        std::string row = two_gpus;
        row.replace(row.find(from), from.size(), to);
        return message(with_header(row));
    };
    auto const has = [](std::string const& text, std::string const& part) {
        return text.find("a.csv, row 2") == 0 && text.find(part) != std::string::npos;
    };
    EXPECT_EQ(changed("1000000", "1000000"), "");
    EXPECT_TRUE(has(changed("1000000", "many"), "column num_keys must be a whole number"));
    EXPECT_TRUE(has(changed("1000000", "99999999999999999999"), "column num_keys"));
    EXPECT_TRUE(has(changed("7.182", "nan"), "column total_sort_duration"));
    EXPECT_TRUE(has(changed("\"0,1\"", "\"0,1,2\""), "column sort_duration_breakdown"));
    EXPECT_TRUE(has(changed("\"0,1\"", "\"0,x\""), "column gpus"));
    EXPECT_TRUE(has(changed("{(0.034),", "{(0.034,1),"), "column sort_duration_breakdown"));
    EXPECT_TRUE(has(changed("256.2,1,", "256.2,2,"), "as many histograms as passes"));
    EXPECT_TRUE(has(changed(",7.182", ""), "16 columns instead of 17"));
    EXPECT_TRUE(has(changed("0\",7", "0,7"), "quotation mark"));
    EXPECT_NE(message("x,y\n").find("a.csv, row 1: the header has no column 'num_keys'"),
              std::string::npos);
    EXPECT_NE(message("num_keys,num_elements,gpus,total_sort_duration\n")
                  .find("columns 1 and 2 are both 'num_keys'"),
              std::string::npos);
    EXPECT_NE(message(""), "");
}

} // namespace
} // namespace keyswap
