#include "model/verify/verify_trace.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::model::verify {
namespace {

/// Two records of each type, in arbitrary order.
RecordedRun some_run(std::string name) {
    RecordedRun run;
    run.name = std::move(name);
    run.header.algorithm = "rmg";
    run.header.gpus = {3, 5};
    run.header.key_count = 8;
    run.header.input.distribution = "uniform";
    run.histograms = {{{1, 4}, GpuId{1}, 0, {2, 1}, {}, {}}, {{1, 4}, GpuId{0}, 0, {1, 1}, {}, {}}};
    run.placements = {{{1, 9}, 4, 8, GpuId{1}, GpuId{1}, PlacementState::placed},
                      {{1, 4}, 0, 4, GpuId{0}, GpuId{0}, PlacementState::placed}};
    run.ownership = {{GpuId{1}, 4, 4}, {GpuId{0}, 0, 4}};
    run.copies = {{GpuId{1}, 2, GpuId{0}, 2, 2, 0}, {GpuId{0}, 0, GpuId{0}, 0, 2, 0}};
    run.sort_ranges = {{GpuId{1}, 0, 4, 0, 32}, {GpuId{0}, 0, 4, 0, 32}};
    run.digests = {{DigestStage::after_swap, GpuId{1}, {1, 9}, {4, 1, 2}, {}},
                   {DigestStage::before_swap, GpuId{1}, {1, 4}, {2, 3, 4}, {}}};
    run.relaxations = {{0, 1, 1, 2, 0, 5, {1, 0}, {}}, {1, 2, 2, 0, 0, 9, {2, 0}, {}}};
    run.phase_times = {{GpuId{0}, Phase::key_swap, 0, 0, 10}};
    run.verdicts = {{"sorted", true, ""}};
    return run;
}

std::vector<Report> compared(std::vector<RecordedRun> const& runs) {
    std::vector<Report> reports(runs.size());
    verify_determinism(runs, reports);
    return reports;
}

bool was_compared(Report const& report) {
    return report.checked == std::vector{Check::determinism};
}

using Change = std::function<void(RecordedRun&)>;

struct PlaceOfChange {
    std::string what; ///< "histogram"
    Change change;
    std::optional<BucketPrefix> bucket;
    std::optional<GpuId> gpu;
};

TEST(Determinism, NamesTheFirstPlaceOfEachKindOfRecord) {
    GpuId const zero{0};
    GpuId const one{1};
    BucketPrefix const four{1, 4};
    std::vector<PlaceOfChange> const changes{
        {"histogram", [](RecordedRun& run) { run.histograms[0].counts[1] = 7; }, four, one},
        {"histogram", [](RecordedRun& run) { run.histograms[1].offset = 7; }, four, zero},
        {"placement", [](RecordedRun& run) { run.placements[1].end = 3; }, four, std::nullopt},
        {"ownership", [](RecordedRun& run) { run.ownership[0].base = 3; }, std::nullopt, one},
        {"copy", [](RecordedRun& run) { run.copies[0].count = 1; }, std::nullopt, one},
        {"copy", [](RecordedRun& run) { run.copies[1].destination_offset = 9; }, {}, zero},
        {"sort range", [](RecordedRun& run) { run.sort_ranges[1].end_bit = 8; }, {}, zero},
        {"digest",
         [](RecordedRun& run) { run.digests[0].digest.high = 9; },
         BucketPrefix{1, 9},
         one},
        {"digest", [](RecordedRun& run) { run.digests[1].digest.low = 9; }, four, one},
        // A record missing from one run is reported with the fields of the other run's record.
        {"placement",
         [](RecordedRun& run) { run.placements.erase(run.placements.begin()); },
         BucketPrefix{1, 9},
         {}},
        {"ownership",
         [](RecordedRun& run) {
             run.ownership.push_back({GpuId{2}, 8, 0});
         },
         {},
         GpuId{2}},
        {"copy", [](RecordedRun& run) { run.copies[1].source_offset = 1; }, {}, zero},
    };
    for (PlaceOfChange const& planted : changes) {
        SCOPED_TRACE(planted.what);
        std::vector<RecordedRun> runs{some_run("a"), some_run("b"), some_run("c")};
        planted.change(runs[1]);
        auto const reports = compared(runs);
        EXPECT_FALSE(was_compared(reports[0]));
        EXPECT_TRUE(was_compared(reports[1]));
        EXPECT_TRUE(was_compared(reports[2]));
        EXPECT_TRUE(reports[0].holds());
        EXPECT_TRUE(reports[2].holds());
        ASSERT_EQ(reports[1].differences.size(), 1U);
        Difference const& difference = reports[1].differences.front();
        EXPECT_EQ(difference.verdict, Verdict::not_deterministic);
        EXPECT_EQ(difference.check, Check::determinism);
        EXPECT_EQ(difference.bucket, planted.bucket);
        EXPECT_EQ(difference.gpu, planted.gpu);
        EXPECT_EQ(difference.expected, "the " + planted.what + " of a");
        EXPECT_EQ(difference.recorded, "another one for the same keys");
        EXPECT_EQ(difference.consequence,
                  "The result depends on timing: a race, or memory that was not set.");
    }
}

TEST(Determinism, OfRoundsIsThatOfAllRounds) {
    std::vector<RecordedRun> runs{some_run("a"), some_run("b")};
    runs[1].relaxations[1].improved = 1;
    auto const reports = compared(runs);
    ASSERT_EQ(reports[1].differences.size(), 1U);
    EXPECT_EQ(sentence_of(reports[1].differences.front()),
              "not deterministic in determinism, the run as a whole: expected the rounds of a, "
              "recorded others for the same graph. The result depends on timing: a race, or memory "
              "that was not set.");
}

TEST(Determinism, OrderTimesAndVerdictsSayNothing) {
    std::vector<RecordedRun> runs{some_run("a"), some_run("b")};
    std::swap(runs[1].histograms[0], runs[1].histograms[1]);
    std::swap(runs[1].copies[0], runs[1].copies[1]);
    std::swap(runs[1].digests[0], runs[1].digests[1]);
    runs[1].phase_times.front().end_ns = 99;
    runs[1].verdicts.clear();
    auto const reports = compared(runs);
    EXPECT_TRUE(was_compared(reports[1]));
    EXPECT_TRUE(reports[1].holds());
}

struct HeaderChange {
    char const* name;
    Change change;
};

TEST(Determinism, IsNotThatOfAFileWithItself) {
    RecordedRun first = some_run("first");
    RecordedRun other = some_run("other");
    first.file = "first.trace";
    other.file = "other.trace";
    RecordedRun const again = first;
    auto const reports = compared({first, again, other});
    EXPECT_FALSE(was_compared(reports[1]));
    EXPECT_EQ(reports[1].unchecked.size(), 1U);
    EXPECT_TRUE(was_compared(reports[2]));
}

TEST(Determinism, IsThatOfOneConfigurationWhereverAndWheneverItRan) {
    std::vector<HeaderChange> const changes_of_place{
        {"program", [](RecordedRun& run) { run.header.program = "x"; }},
        {"commit", [](RecordedRun& run) { run.header.commit = "x"; }},
        {"created", [](RecordedRun& run) { run.header.created = "x"; }},
        {"device", [](RecordedRun& run) { run.header.device = "x"; }},
        {"driver", [](RecordedRun& run) { run.header.driver = "x"; }},
        {"gpus",
         [](RecordedRun& run) {
             run.header.gpus = {7, 1};
         }},
        {"virtual", [](RecordedRun& run) { run.header.virtual_gpus = true; }},
    };
    std::vector<HeaderChange> const changes_of_run{
        {"algorithm", [](RecordedRun& run) { run.header.algorithm = "x"; }},
        {"variant", [](RecordedRun& run) { run.header.variant = "x"; }},
        {"keys", [](RecordedRun& run) { run.header.key_count = 9; }},
        {"type", [](RecordedRun& run) { run.header.key_type = KeyType::f64; }},
        {"GPUs",
         [](RecordedRun& run) {
             run.header.gpus = {3, 5, 6};
         }},
        {"tolerance", [](RecordedRun& run) { run.header.tolerance_ppm += 1; }},
        {"seed", [](RecordedRun& run) { run.header.input.seed += 1; }},
        {"layout", [](RecordedRun& run) { run.header.layout = SwapLayout::by_round; }},
        {"functions",
         [](RecordedRun& run) {
             run.functions = {{0, {}, {2, HashBuckets{}}}};
         }},
    };
    for (bool const same : {true, false}) {
        for (HeaderChange const& one : same ? changes_of_place : changes_of_run) {
            std::vector<RecordedRun> runs{some_run("a"), some_run("b")};
            one.change(runs[1]);
            runs[1].copies[0].count = 1;
            auto const reports = compared(runs);
            EXPECT_EQ(was_compared(reports[1]), same) << one.name;
            EXPECT_EQ(reports[1].differences.size(), same ? 1U : 0U) << one.name;
        }
    }
}

/// A multisplit of one step on two GPUs. \param outputs the low words of the digests; 0 = none
RecordedRun split_run(std::string const& method, std::uint64_t first, std::uint64_t second) {
    RecordedRun run;
    run.name = "by " + method;
    run.header.algorithm = "multisplit";
    run.header.operation = Operation::multisplit;
    run.header.variant = method;
    run.header.gpus = {0, 0};
    for (std::uint32_t gpu = 0; gpu < 2; ++gpu) {
        PartitionRecord record;
        record.step = 1;
        record.gpu = GpuId{gpu};
        record.method = method;
        std::uint64_t const low = gpu == 0 ? first : second;
        record.output = low == 0 ? std::nullopt : std::optional(SequenceDigest{4, low, 2});
        run.partitions.push_back(record);
    }
    return run;
}

TEST(Determinism, OfMultisplitsIsThatOfTheFirstStableOutput) {
    auto const reports = compared({split_run("atomic", 0, 0),
                                   split_run("warp", 7, 8),
                                   split_run("block", 7, 9),
                                   split_run("tile", 6, 8),
                                   split_run("again", 7, 8)});
    EXPECT_TRUE(reports[1].holds());
    EXPECT_TRUE(reports[4].holds());
    ASSERT_EQ(reports[2].differences.size(), 1U);
    EXPECT_EQ(sentence_of(reports[2].differences.front()),
              "not deterministic in determinism, step 1, GPU 1: expected the output of by warp, 4 "
              "keys of digest 00000000000000020000000000000008 in this order, recorded 4 keys of "
              "digest 00000000000000020000000000000009 in this order. Stable methods have one "
              "right output: one of them is wrong.");
    ASSERT_EQ(reports[3].differences.size(), 1U);
    EXPECT_EQ(reports[3].differences.front().gpu, GpuId{0});
}

} // namespace
} // namespace keyswap::model::verify
