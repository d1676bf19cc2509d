#include "tools/report/profiles/nsight_export.hpp"

#include "tools/report/exports.hpp"
#include "tools/report/figures/figure_files.hpp"
#include "tools/report/sections/profile_data.hpp"
#include "tools/testing/nsight_fixture.hpp"
#include "tools/text/json.hpp"
#include "traces/testing/trace_fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

namespace keyswap::tools {
namespace {

/// The fixture's export with SQL changes.
struct Export {
    keyswap::testing::TemporaryFolder folder;
    std::filesystem::path path = folder / "run.sqlite";

    explicit Export(std::string const& changes = "") {
        testing::run_sql(path, testing::nsight_tables);
        testing::run_sql(path, testing::nsight_rows);
        testing::run_sql(path, changes);
    }
    [[nodiscard]] Profile read() const {
        auto profile = read_nsight_export(path);
        EXPECT_TRUE(profile) << profile.error().message();
        return profile ? std::move(*profile) : Profile{};
    }
    [[nodiscard]] std::string problem() const {
        auto const profile = read_nsight_export(path);
        return profile ? std::string() : profile.error().message();
    }
};

/// One line per span: "GPU 0 stream 7: histogram_kernel 1000..3000".
std::vector<std::string> lines_of(Profile const& profile) {
    std::vector<std::string> lines;
    for (ProfileSpan const& span : profile.spans) {
        ProfileTrack const& track = profile.tracks[span.track];
        std::string const gpu = track.gpu ? "GPU " + std::to_string(*track.gpu) + ' ' : "";
        lines.push_back(gpu + track.name + ": " + profile.names[span.name] + ' ' +
                        std::to_string(span.begin_ns) + ".." + std::to_string(span.end_ns));
    }
    return lines;
}

bool has_note(Profile const& profile, std::string const& words) {
    return std::ranges::any_of(profile.notes, [&words](std::string const& note) {
        return note.find(words) != std::string::npos;
    });
}

TEST(NsightExport, GivesEveryRecordARowOfItsStreamOrThread) {
    Profile const profile = Export().read();
    EXPECT_EQ(lines_of(profile),
              (std::vector<std::string>{
                  "GPU 0 stream 7: host to device 0..1000",
                  "GPU 0 stream 7: histogram_kernel 1000..3000",
                  "GPU 0 stream 7: copy between GPUs 3000..7000",
                  "GPU 2 stream 13: histogram_kernel 1000..2000",
                  "GPU 2 stream 13: <img src=x onerror=alert(1)> 9000..10000",
                  "GPU 2 stream 14: copy between GPUs 3500..6500",
                  "GPU 2 stream 14: copy between GPUs 6500..7500",
                  "GPU 2 stream 14: device to device 7500..8000",
                  "GPU 2 stream 14: fill 8000..8500",
                  "thread 5: sort 0..10000",
                  "thread 5, level 2: key swap 3000..8000",
              }));
    EXPECT_EQ(profile.made_by, "Nsight Systems, schema 3.17.2");
    EXPECT_EQ(profile.notes,
              std::vector<std::string>{"NVTX ranges that never ended and are left out: 1."});
}

TEST(NsightExport, CopiesBetweenGpusMakeATransferMatrix) {
    Profile const profile = Export().read();
    EXPECT_EQ(profile.gpus, (std::vector<std::uint32_t>{0, 2}));
    // GPU 0 sends 4000 B; GPU 2 reads 500 B from it.
    EXPECT_EQ(profile.matrix(), (std::vector<std::uint64_t>{0, 4500, 3000, 0}));
    EXPECT_EQ(matrix_text(profile), "0 4500\n3000 0\n");
}

TEST(NsightExport, SaysWhichTablesAreMissing) {
    Profile const profile =
        Export("DROP TABLE NVTX_EVENTS; DROP TABLE CUPTI_ACTIVITY_KIND_MEMCPY").read();
    EXPECT_TRUE(has_note(profile, "no NVTX ranges"));
    EXPECT_TRUE(has_note(profile, "no copies"));
    EXPECT_EQ(profile.spans.size(), 4U) << "three kernels and a fill";
    Json const data = profile_data(profile);
    EXPECT_TRUE(std::ranges::any_of(data["answers"], [](Json const& answer) {
        return answer.get<std::string>().find("no table NVTX_EVENTS") != std::string::npos;
    }));
}

TEST(NsightExport, AnExportWithoutAnyRecordIsExplained) {
    Profile const profile = Export("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL;"
                                   "DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY;"
                                   "DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET;"
                                   "DELETE FROM NVTX_EVENTS")
                                .read();
    EXPECT_TRUE(profile.spans.empty());
    EXPECT_EQ(profile_data(profile)["answers"][1], "There is no work of GPUs in the recording.");
}

TEST(NsightExport, OlderExportsWithoutColumnsForPeersAreRead) {
    Profile const profile = Export("ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY DROP COLUMN srcDeviceId;"
                                   "ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY DROP COLUMN globalPid")
                                .read();
    EXPECT_EQ(profile.matrix(), (std::vector<std::uint64_t>(4, 0)));
    EXPECT_NE(std::ranges::find(profile.names, "copy between unnamed GPUs"), profile.names.end());
}

constexpr char const* graph_rows =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL, end INTEGER NOT NULL,"
    " deviceId INTEGER NOT NULL, graphId INTEGER NOT NULL, contextId INTEGER, streamId INTEGER,"
    " globalPid INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES"
    " (1020000, 1028000, 0, 3, 1, 7, 0), (1030000, 1038000, 2, 3, 2, 13, 0);";

TEST(NsightExport, LaunchesOfCudaGraphsAreWorkOfTheirGpu) {
    Profile const profile = Export(graph_rows).read();
    auto const lines = lines_of(profile);
    EXPECT_NE(std::ranges::find(lines, "GPU 0 stream 7: CUDA graph 3 20000..28000"), lines.end());
    EXPECT_NE(std::ranges::find(lines, "GPU 2 stream 13: CUDA graph 3 30000..38000"), lines.end());
    EXPECT_TRUE(has_note(profile, "2 launches of CUDA graphs were traced as whole graphs"));
    EXPECT_FALSE(has_note(Export().read(), "graphs")) << "most programs have none";
}

TEST(NsightExport, GraphsAloneAreWork) {
    std::string none = "DROP TABLE NVTX_EVENTS; DROP TABLE META_DATA_EXPORT;";
    for (char const* table : {"KERNEL", "MEMCPY", "MEMSET"}) {
        none += "DROP TABLE CUPTI_ACTIVITY_KIND_" + std::string(table) + ';';
    }
    Profile const profile = Export(none + graph_rows).read();
    EXPECT_EQ(profile.spans.size(), 2U);
    EXPECT_NE(profile_data(profile)["answers"][1], "There is no work of GPUs in the recording.");
}

TEST(NsightExport, TypesOfEventsAreThoseThatTheExportNames) {
    Profile const profile =
        Export("CREATE TABLE ENUM_NSYS_EVENT_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT,"
               " label TEXT);"
               "INSERT INTO ENUM_NSYS_EVENT_TYPE VALUES (34, 'NvtxMark', ''),"
               " (159, 'NvtxPushPopRange', ''), (160, 'NvtxStartEndRange', '');"
               "UPDATE NVTX_EVENTS SET eventType = eventType + 100 WHERE eventType > 50")
            .read();
    EXPECT_NE(std::ranges::find(profile.names, "sort"), profile.names.end());
    EXPECT_NE(std::ranges::find(profile.names, "key swap"), profile.names.end());
    EXPECT_EQ(std::ranges::find(profile.names, "mark"), profile.names.end());
}

TEST(NsightExport, RangesWithoutATypeOrWithTheirTextElsewhereAreRead) {
    for (std::string const change : {"ALTER TABLE NVTX_EVENTS DROP COLUMN eventType",
                                     "UPDATE NVTX_EVENTS SET textId = 3 WHERE text IS NOT NULL;"
                                     "ALTER TABLE NVTX_EVENTS DROP COLUMN text",
                                     "UPDATE NVTX_EVENTS SET text = 'key swap' WHERE text IS NULL;"
                                     "ALTER TABLE NVTX_EVENTS DROP COLUMN textId"}) {
        Profile const profile = Export(change).read();
        EXPECT_NE(std::ranges::find(profile.names, "key swap"), profile.names.end()) << change;
        EXPECT_EQ(std::ranges::find(profile.names, "mark"), profile.names.end()) << change;
    }
}

TEST(NsightExport, RefusesWhatIsNoExport) {
    keyswap::testing::TemporaryFolder const folder;
    keyswap::testing::put_text(folder / "text.sqlite", "hello");
    auto const text = read_nsight_export(folder / "text.sqlite");
    ASSERT_FALSE(text);
    EXPECT_NE(text.error().message().find("text.sqlite: is not an SQLite database"),
              std::string::npos)
        << text.error().message();
    testing::run_sql(folder / "other.sqlite", "CREATE TABLE songs (title TEXT)");
    auto const other = read_nsight_export(folder / "other.sqlite");
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().message().find("not an export of Nsight Systems"), std::string::npos);
    EXPECT_NE(other.error().message().find("nsys export --type sqlite"), std::string::npos);
    EXPECT_NE(Export("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN streamId")
                  .problem()
                  .find("CUPTI_ACTIVITY_KIND_KERNEL has no column streamId"),
              std::string::npos);
    EXPECT_NE(Export("DROP TABLE NVTX_EVENTS; CREATE VIEW NVTX_EVENTS AS "
                     "SELECT 1 AS start, 2 AS end, 59 AS eventType")
                  .problem()
                  .find("run.sqlite"),
              std::string::npos)
        << "views could make SQLite work for ever";
}

TEST(NsightExport, ATruncatedExportIsRefusedAndNothingIsWritten) {
    Export const whole;
    std::filesystem::resize_file(whole.path, std::filesystem::file_size(whole.path) / 2);
    EXPECT_NE(whole.problem().find("run.sqlite"), std::string::npos);
    Export const untouched;
    auto const before = std::filesystem::last_write_time(untouched.path);
    std::ignore = untouched.read();
    EXPECT_EQ(std::filesystem::last_write_time(untouched.path), before);
}

TEST(NsightExport, TimesAndDevicesThatCannotBeAreLeftOut) {
    Profile const profile = Export("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 0 WHERE deviceId=0;"
                                   "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 4294967295 "
                                   "WHERE deviceId = 2 AND shortName = 1;"
                                   "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = "
                                   "-9223372036854775807 WHERE shortName = 2")
                                .read();
    EXPECT_TRUE(has_note(profile, "name no device, and are left out: 3."));
}

TEST(NsightExport, OverlappingWorkOfOneStreamStandsInTwoRows) {
    Profile const profile =
        Export("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1002000,1004000,0,1,7,9,0,4,1)")
            .read();
    auto const lines = lines_of(profile);
    EXPECT_NE(std::ranges::find(lines, "GPU 0 stream 7, level 2: histogram_kernel 2000..4000"),
              lines.end());
}

TEST(NsightExport, ContextsAndProcessesAreNamedWhereAGpuHasSeveral) {
    Profile const profile =
        Export("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET contextId = 9 WHERE copyKind = 1").read();
    EXPECT_EQ(profile.tracks[0].name, "stream 7, context 1");
    EXPECT_EQ(profile.tracks[1].name, "stream 7, context 9");
}

TEST(ProfileData, ReportsBusyResourcesAndLongTasks) {
    Json const data = profile_data(Export().read());
    // Busy in us: GPU 0 0..7 of 10; GPU 2 1..2, 3.5..8.5, 9..10.
    EXPECT_EQ(data["busy"], Json::parse("[[0,0.002,0.005,0.007],[2,0.002,0.005,0.007]]"));
    EXPECT_EQ(data["answers"][0], "Each GPU is busy for 70.0 % of the 0.01 ms that were recorded.");
    EXPECT_EQ(data["answers"][1],
              "Most of the GPUs' time goes into the work 'copy between GPUs': 0.008 ms in 3 "
              "calls.");
    EXPECT_EQ(data["answers"][2],
              "7.5 kB are copied between GPUs, the most from GPU 0 to GPU 2: 4.5 kB.");
}

TEST(ProfileData, ARangeWithTheNameOfAKernelIsCountedApart) {
    Json const data = profile_data(
        Export("UPDATE NVTX_EVENTS SET text = 'histogram_kernel' WHERE text = 'sort'").read());
    std::set<std::string> kinds;
    for (Json const& row : data["names"]) {
        if (row[0] == "histogram_kernel") {
            kinds.insert(row[1].get<std::string>());
        }
    }
    EXPECT_EQ(kinds, (std::set<std::string>{"NVTX range", "kernel"}));
}

TEST(ProfileData, ManyRecordsAreDrawnTogetherAndNoneIsLost) {
    Export const many("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<49999) "
                      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 2000000 + i * 20, "
                      "2000000 + i * 20 + 15, 0, 1, 21, 0, 0, 4, 1 + i % 2 FROM n");
    Json const tasks = profile_data(many.read())["tasks"];
    EXPECT_EQ(tasks["exact_count"], 50'011U);
    EXPECT_LT(tasks["rows"].size(), 12'001U);
    std::uint64_t records = 0;
    for (Json const& row : tasks["rows"]) {
        records += row[7].get<std::uint64_t>();
    }
    EXPECT_EQ(records, 50'011U);
}

TEST(NsightExport, LeavesNoFileNextToADatabaseWithALog) {
    Export const file("PRAGMA journal_mode = WAL");
    Profile const profile = file.read();
    EXPECT_FALSE(profile.spans.empty());
    for (char const* const ending : {"-wal", "-shm"}) {
        EXPECT_FALSE(std::filesystem::exists(file.path.string() + ending)) << ending;
    }
    keyswap::testing::put_text(file.path.string() + "-wal", "changes");
    auto const refused = read_nsight_export(file.path);
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(refused.error().message().find("newest changes lie in"), std::string::npos);
}

TEST(ProfileData, IsPartOfAReportAndItsNamesAreText) {
    Export const file;
    ReportOptions options;
    options.files = {file.path.string()};
    auto const content = report_content(options);
    ASSERT_TRUE(content) << content.error().message();
    Json const document = report_document(*content, "keyswap report run.sqlite");
    ASSERT_EQ(document["sections"].size(), 1U);
    EXPECT_EQ(document["sections"][0]["kind"], "profile");
    EXPECT_EQ(page_of(document).find("<img src=x"), std::string::npos);
    auto const tables = csv_tables(*content);
    ASSERT_TRUE(tables.contains("profile.csv"));
    EXPECT_NE(tables.at("profile.csv").find("0,stream 7,copy between GPUs,3000,7000,4000,0,2\n"),
              std::string::npos);
}

TEST(ProfileData, BecomesTracksOfAChromeTrace) {
    ReportContent content;
    content.profiles.push_back(Export().read());
    auto const trace = chrome_trace(content);
    std::set<std::string> names;
    std::size_t spans = 0;
    for (auto const& event : trace["traceEvents"]) {
        if (event["ph"] == "M") {
            names.insert(event["args"]["name"].get<std::string>());
        } else {
            spans += 1;
            EXPECT_EQ(event["ph"], "X");
        }
    }
    EXPECT_EQ(spans, 11U);
    EXPECT_TRUE(names.contains("Profile run.sqlite: GPU 2"));
    EXPECT_TRUE(names.contains("Profile run.sqlite: program"));
    EXPECT_TRUE(names.contains("stream 14"));
}

} // namespace
} // namespace keyswap::tools
