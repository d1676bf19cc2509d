#include "model/verify/ranks/rank_traces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::model::verify {
namespace {

constexpr std::uint32_t rank_count = 3;

BucketFunctionRecord function_of(std::uint32_t id) {
    return {id, {static_cast<int>(id), 0}, {4, HashBuckets{id}}};
}

/// A synthetic run of three GPUs with several records of each type.
RecordedRun whole_run() {
    RecordedRun run;
    run.header.algorithm = "sample-sort";
    run.header.gpus = {0, 1, 2};
    run.header.key_count = 30;
    run.header.input.seed = 5;
    run.functions = {function_of(0), function_of(1)};
    run.placements = {{{1, 0}, 0, 9, GpuId{0}, GpuId{0}, PlacementState::placed},
                      {{1, 1}, 9, 30, GpuId{1}, GpuId{2}, PlacementState::cut}};
    for (std::uint64_t bucket = 0; bucket < 3; ++bucket) {
        for (std::uint32_t gpu = 0; gpu < rank_count; ++gpu) {
            run.histograms.push_back({{1, bucket}, GpuId{gpu}, gpu, {bucket, 7}, {}, {}});
        }
    }
    for (std::uint32_t source = 0; source < rank_count; ++source) {
        for (std::uint32_t destination = 0; destination < rank_count; ++destination) {
            std::uint64_t const at = 10 * source + 3 * destination;
            run.copies.push_back({GpuId{source}, at, GpuId{destination}, at + 100, 2, 0});
            run.copies.push_back({GpuId{source}, at + 2, GpuId{destination}, at + 200, 1, 0});
        }
    }
    for (GpuId gpu{0}; gpu.value < rank_count; ++gpu.value) {
        run.ownership.push_back({gpu, 10 * gpu.value, 10});
        run.sort_ranges.push_back({gpu, 0, 4 + gpu.value, 0, 32});
        run.sort_ranges.push_back({gpu, 4 + gpu.value, 6 - gpu.value, 0, 32});
        run.digests.push_back({DigestStage::after_swap, gpu, {1, 1}, {10, gpu.value, 3}, {}});
        run.phase_times.push_back({gpu, Phase::key_swap, 0, gpu.value, 10});
    }
    run.verdicts = {{"sorted", true, ""}, {"permutation", true, ""}};
    return run;
}

/// The records of one rank: its own part, common decisions, and both ends of its copies.
RecordedRun trace_of_rank(RecordedRun const& run, GpuId rank) {
    RecordedRun trace = run;
    trace.name = "rank" + std::to_string(rank.value);
    auto const keep_own = [rank](auto& records) {
        std::erase_if(records, [rank](auto const& record) { return record.gpu != rank; });
    };
    keep_own(trace.histograms);
    keep_own(trace.ownership);
    keep_own(trace.sort_ranges);
    keep_own(trace.digests);
    keep_own(trace.phase_times);
    std::erase_if(trace.copies, [rank](CopyRecord const& copy) {
        return copy.source != rank && copy.destination != rank;
    });
    trace.header.created = "on day " + trace.name; // ranks may run on different machines
    trace.header.device = "device of " + trace.name;
    trace.header.driver = "driver of " + trace.name;
    return trace;
}

std::vector<RecordedRun> traces_of(RecordedRun const& run) {
    std::vector<RecordedRun> traces;
    for (GpuId rank{0}; rank.value < rank_count; ++rank.value) {
        traces.push_back(trace_of_rank(run, rank));
    }
    return traces;
}

TEST(RankTraces, MakeTheRunThatTheyAreOfInAnyOrder) {
    RecordedRun const whole = whole_run();
    std::vector<RecordedRun> traces = traces_of(whole);
    std::vector<std::size_t> order{0, 1, 2};
    do {
        std::vector<RecordedRun> const given{traces[order[0]], traces[order[1]], traces[order[2]]};
        auto const merged = merge_ranks(given);
        ASSERT_TRUE(merged.has_value()) << merged.error().message();
        EXPECT_TRUE(merged->differences.empty());
        EXPECT_EQ(merged->run.name, "rank0 and 2 more");
        EXPECT_EQ(merged->run.header, traces[0].header);
        EXPECT_EQ(merged->run.functions, whole.functions);
        EXPECT_EQ(merged->run.histograms, whole.histograms);
        EXPECT_EQ(merged->run.placements, whole.placements);
        EXPECT_EQ(merged->run.ownership, whole.ownership);
        EXPECT_EQ(merged->run.copies, whole.copies);
        EXPECT_EQ(merged->run.sort_ranges, whole.sort_ranges);
        EXPECT_EQ(merged->run.digests, whole.digests);
        EXPECT_EQ(merged->run.phase_times, whole.phase_times);
        EXPECT_EQ(merged->run.verdicts, whole.verdicts);
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST(RankTraces, HaveHistogramsBucketByBucketThoughARankHasFewer) {
    std::vector<RecordedRun> traces = traces_of(whole_run());
    traces[0].histograms.pop_back();
    traces[1].histograms.clear();
    auto const merged = merge_ranks(traces);
    ASSERT_TRUE(merged.has_value());
    std::vector<HistogramRecord> const& own = traces[0].histograms;
    std::vector<HistogramRecord> const& last = traces[2].histograms;
    EXPECT_EQ(merged->run.histograms, (std::vector{own[0], last[0], own[1], last[1], last[2]}));
}

struct Contradiction {
    std::function<void(std::vector<RecordedRun>&)> plant;
    Verdict verdict;
    Check check;
    std::uint32_t gpu;
    std::string expected;
    std::string recorded;
};

CopyRecord& first_copy(RecordedRun& trace, std::uint32_t source, std::uint32_t destination) {
    return *std::ranges::find_if(trace.copies, [&](CopyRecord const& copy) {
        return copy.source.value == source && copy.destination.value == destination;
    });
}

TEST(RankTraces, NameTheRankThatDiffersAndBothEndsOfAPair) {
    using Traces = std::vector<RecordedRun>;
    std::string const other_plan = "ranks with different plans exchange keys that do not fit";
    std::string const lost = "keys are lost between the two, or the exchange hangs";
    std::vector<Contradiction> const contradictions{
        {[](Traces& traces) { traces[1].functions[0].function.buckets = 5; },
         Verdict::wrong_plan,
         Check::functions,
         1,
         "the bucket functions of rank 0",
         "others"},
        {[](Traces& traces) { traces[2].placements.pop_back(); },
         Verdict::wrong_plan,
         Check::placements,
         2,
         "the placements of rank 0",
         "others"},
        {[](Traces& traces) {
             std::erase_if(traces[2].copies,
                           [](CopyRecord const& copy) { return copy.source.value == 1; });
         },
         Verdict::wrong_execution,
         Check::copies,
         2,
         "rank 1 sent 3 keys in 2 copies",
         "rank 2 received 0 keys in 0 copies"},
        {[](Traces& traces) { traces[0].copies.pop_back(); }, // the last copy that it receives
         Verdict::wrong_execution,
         Check::copies,
         0,
         "rank 2 sent 3 keys in 2 copies",
         "rank 0 received 2 keys in 1 copy"},
        {[](Traces& traces) { first_copy(traces[1], 0, 1).count = 9; },
         Verdict::wrong_execution,
         Check::copies,
         1,
         "rank 0 sent 3 keys in 2 copies",
         "rank 1 received 10 keys in 2 copies; copy 0: 2 from 3 to 103 against 9 from 3 to 103"},
        {[](Traces& traces) {
             CopyRecord& second = *(&first_copy(traces[0], 0, 2) + 1);
             second.source_offset += 5;
             second.destination_offset += 6;
         },
         Verdict::wrong_execution,
         Check::copies,
         2,
         "rank 0 sent 3 keys in 2 copies",
         "rank 2 received 3 keys in 2 copies; copy 1: 1 from 13 to 212 against 1 from 8 to 206"},
    };
    for (Contradiction const& planted : contradictions) {
        SCOPED_TRACE(planted.recorded);
        auto traces = traces_of(whole_run());
        planted.plant(traces);
        auto const merged = merge_ranks(traces);
        ASSERT_TRUE(merged.has_value()) << merged.error().message();
        ASSERT_EQ(merged->differences.size(), 1U);
        Difference const& difference = merged->differences.front();
        EXPECT_EQ(difference.verdict, planted.verdict);
        EXPECT_EQ(difference.check, planted.check);
        EXPECT_EQ(difference.gpu, GpuId{planted.gpu});
        EXPECT_EQ(difference.expected, planted.expected);
        EXPECT_EQ(difference.recorded, planted.recorded);
        EXPECT_EQ(difference.consequence, planted.check == Check::copies ? lost : other_plan);
    }
}

TEST(RankTraces, HoldRecordsOfTheirOwnRankAlone) {
    using Traces = std::vector<RecordedRun>;
    auto const move = [](auto RecordedRun::*kind) {
        return [kind](Traces& traces) {
            auto& records = traces[1].*kind;
            (traces[0].*kind).insert((traces[0].*kind).end(), records.begin(), records.end());
            records.clear();
        };
    };
    std::vector<std::pair<Check, std::function<void(Traces&)>>> const moves{
        {Check::histograms, move(&RecordedRun::histograms)},
        {Check::sort_ranges, move(&RecordedRun::sort_ranges)},
        {Check::digests_after_swap, move(&RecordedRun::digests)},
        {Check::phase_times, move(&RecordedRun::phase_times)},
        {Check::copies,
         [](Traces& traces) {
             traces[0].copies.push_back({GpuId{1}, 7, GpuId{2}, 8, 77, 0});
         }},
        {Check::merges,
         [](Traces& traces) {
             traces[0].merges.push_back({0, GpuId{1}, 0, {2, 3}});
         }},
    };
    for (auto const& [check, plant] : moves) {
        SCOPED_TRACE(to_string(check));
        auto traces = traces_of(whole_run());
        plant(traces);
        auto const merged = merge_ranks(traces);
        ASSERT_TRUE(merged.has_value()) << merged.error().message();
        ASSERT_EQ(merged->differences.size(), 1U);
        EXPECT_EQ(merged->differences.front().check, check);
        EXPECT_EQ(merged->differences.front().verdict, Verdict::wrong_execution);
        EXPECT_EQ(merged->differences.front().gpu, GpuId{0});
    }
}

TEST(RankTraces, HoldIfAllRanksHoldAndNameTheFirstThatDoesNot) {
    auto traces = traces_of(whole_run());
    traces[0].verdicts = {{"sorted", true, ""}};
    traces[1].verdicts = {{"permutation", true, ""}, {"sorted", false, "at 3"}};
    traces[2].verdicts = {{"sorted", false, "at 9"}, {"balance", false, "of 2"}};
    auto const merged = merge_ranks(traces);
    ASSERT_TRUE(merged.has_value());
    EXPECT_EQ(merged->run.verdicts,
              (std::vector<VerdictRecord>{{"sorted", false, "at 3"},
                                          {"permutation", true, ""},
                                          {"balance", false, "of 2"}}));
}

TEST(RankTraces, OfNoOneRunAreRefusedByNameAndReason) {
    auto const error = [](std::vector<RecordedRun> const& given) {
        auto const merged = merge_ranks(given);
        return merged ? "" : merged.error().message();
    };
    auto const traces = traces_of(whole_run());
    EXPECT_EQ(error({}), "--ranks: the trace of rank 0 is missing (give one trace of each rank)");
    EXPECT_EQ(error({traces[0], traces[1]}),
              "--ranks: the trace of rank 2 is missing (give one trace of each rank)");
    EXPECT_EQ(error({traces[1], traces[2]}),
              "--ranks: the trace of rank 0 is missing (give one trace of each rank)");
    EXPECT_EQ(error({traces[0], traces[2], traces[1], traces[2]}),
              "rank2: is of rank 2, as 'rank2' is (give one trace of each rank)");
    auto beyond = traces;
    beyond[1].ownership.front().gpu.value = 3;
    EXPECT_EQ(error(beyond), "rank1: is of rank 3 of 3 (record the run again)");
    EXPECT_EQ(error({traces[0], whole_run()}),
              "records 3 owned ranges; the trace of a rank records only its own (leave --ranks "
              "out for traces of whole runs)");
    auto other = traces;
    other[2].header.input.seed += 1;
    EXPECT_EQ(error(other), "rank2: is of another run than 'rank0' (give the traces of one run)");
}

} // namespace
} // namespace keyswap::model::verify
