/// \file Compares sorts by ranks, which share no memory, with the same sorts in one process. The
/// property on shares of any size also runs on processes (rank_team.hpp).

#include "model/ranks/agreement.hpp"
#include "model/ranks/even_shares.hpp"
#include "model/ranks/rank_check.hpp"
#include "model/ranks/thread_communicator.hpp"
#include "model/sorts/rmg/replay_digests.hpp"
#include "model/verify/ranks/rank_traces.hpp"
#include "proptests/properties/case_generators.hpp"
#include "proptests/ranks/rank_job.hpp"
#include "proptests/ranks/rank_team.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace keyswap::proptests {
namespace {

using model::verify::RecordedRun;

std::vector<std::string> rank_sorts() {
    std::vector<std::string> names;
    for (model::Algorithm const* const sort : model::algorithms()) {
        if (model::ranks_can_sort(*sort)) {
            names.emplace_back(sort->name);
        }
    }
    return names;
}

std::vector<DigestRecord> in_order(std::vector<DigestRecord> digests) {
    std::ranges::sort(digests, {}, [](DigestRecord const& digest) {
        return std::tuple(digest.stage, digest.gpu, digest.bucket);
    });
    return digests;
}

void expect_same_records(std::vector<RecordedRun> const& traces, RecordedRun const& one) {
    auto const merged = model::verify::merge_ranks(traces);
    RC_ASSERT(merged.has_value());
    RC_ASSERT(merged->differences.empty());
    RC_ASSERT(merged->run.functions == one.functions);
    RC_ASSERT(merged->run.histograms == one.histograms);
    RC_ASSERT(merged->run.placements == one.placements);
    RC_ASSERT(merged->run.ownership == one.ownership);
    RC_ASSERT(merged->run.copies == one.copies);
    RC_ASSERT(merged->run.sort_ranges == one.sort_ranges);
    RC_ASSERT(in_order(merged->run.digests) == in_order(one.digests));
}

void expect_same_as_one_process(RankJob const& job) {
    RankResult const one = sort_in_one_process(job);
    std::vector<std::uint64_t> images;
    std::vector<std::uint64_t> values;
    std::vector<RecordedRun> traces;
    for (RankResult const& result : sort_by_ranks(job)) {
        RC_ASSERT(result.failure == one.failure);
        for (VerdictRecord const& verdict : result.records.verdicts) {
            RC_ASSERT(verdict.holds);
        }
        images.insert(images.end(), result.images.begin(), result.images.end());
        values.insert(values.end(), result.values.begin(), result.values.end());
        traces.push_back(result.records);
    }
    if (!one.failure.empty()) {
        return;
    }
    RC_ASSERT(images == one.images);
    RC_ASSERT(values == one.values);
    expect_same_records(traces, one.records);
}

/// A job of at most 500 keys by any sort, on all ranks of the team, or on any number of threads.
rc::Gen<RankJob> any_job() {
    return rc::gen::exec([] {
        SortCase sort_case = *any_sort_case(500);
        sort_case.config.gpu_count = team().size().value_or(sort_case.config.gpu_count);
        RankJob job = evenly_shared(sort_case);
        job.algorithm = *rc::gen::elementOf(rank_sorts());
        job.value_bits = *rc::gen::element(0, 32, 64);
        return job;
    });
}

/// Random shares of a job's keys, often including empty ones.
std::vector<std::uint64_t> any_shares(SortCase const& sort_case) {
    std::uint64_t const n = sort_case.config.key_count;
    auto ends = *rc::gen::container<std::vector<std::uint64_t>>(
        sort_case.config.gpu_count - 1, rc::gen::inRange<std::uint64_t>(0, n + 1));
    std::ranges::sort(ends);
    ends.push_back(n);
    std::adjacent_difference(ends.begin(), ends.end(), ends.begin());
    return ends;
}

RC_GTEST_PROP(OneProcess, DecidesAndRecordsWhatRanksDo, ()) {
    expect_same_as_one_process(*any_job());
}

RC_GTEST_PROP(OneProcess, SortsTheKeysOfRanksWithSharesOfAnySizes, ()) {
    RankJob job = *any_job();
    job.shares = any_shares(job.sort_case);
    expect_same_as_one_process(job);
}

TEST(Ranks, ThatWereStartedDifferentlyAreNamed) {
    model::ThreadRanks ranks(3, std::chrono::seconds(60));
    std::vector<std::string> errors(3);
    ranks.run([&](model::Communicator& end) {
        auto const same =
            model::expect_same_start(end, "start", end.rank() == 1 ? "2 keys" : "1 key");
        errors[end.rank()] = same ? "" : same.error().message();
    });
    for (std::string const& error : errors) {
        EXPECT_EQ(error,
                  "rank 1: started as '2 keys', rank 0 as '1 key' (start all ranks of a sort with "
                  "the same options)");
    }
}

/// Failed verdicts when ranks hold these keys before and after a sort. \return [rank]
std::vector<std::string> failed_verdicts(std::vector<std::vector<std::uint32_t>> const& before,
                                         std::vector<std::vector<std::uint32_t>> after,
                                         std::uint64_t owned_max) {
    model::ThreadRanks ranks(static_cast<std::uint32_t>(before.size()), std::chrono::seconds(60));
    std::vector<std::vector<std::string>> failed(before.size());
    ranks.run([&](model::Communicator& end) {
        using Keys = model::KeyArrays<std::uint32_t, model::NoValue>;
        auto own = before[end.rank()];
        auto const summary =
            model::summary_of(model::digest_of_range(Keys{own, {}}), Keys{after[end.rank()], {}});
        for (VerdictRecord const& verdict : model::check_with_ranks(end, summary, owned_max)) {
            if (!verdict.holds) {
                failed[end.rank()].push_back(verdict.property + ": " + verdict.detail);
            }
        }
    });
    for (auto const& of_rank : failed) {
        EXPECT_EQ(of_rank, failed.front()) << "ranks judge differently";
    }
    return failed.front();
}

TEST(Ranks, CheckNamesWhatIsWrong) {
    using Texts = std::vector<std::string>;
    std::vector<std::vector<std::uint32_t>> const input{{5, 1, 9}, {}, {3, 3, 7}};
    EXPECT_EQ(failed_verdicts(input, {{1, 3}, {3, 5}, {7, 9}}, 2), Texts{});
    EXPECT_EQ(failed_verdicts(input, {{1, 3, 3, 5}, {}, {7, 9}}, 4), Texts{});
    EXPECT_EQ(failed_verdicts(input, {{3, 1}, {3, 5}, {7, 9}}, 2),
              Texts{"sorted: rank 0: the key at index 1 of its range is below its predecessor"});
    EXPECT_EQ(failed_verdicts(input, {{1, 5}, {}, {3, 3, 7, 9}}, 4),
              Texts{"sorted: the first key of rank 2 is below the last of rank 0"});
    EXPECT_EQ(failed_verdicts(input, {{1, 3}, {3, 5}, {7, 8}}, 2),
              Texts{"permutation: keys were lost, doubled or changed"});
    EXPECT_EQ(failed_verdicts(input, {{1, 3}, {5}, {7, 9}}, 2),
              Texts{"permutation: the ranks began with 6 keys and end with 5"});
    EXPECT_EQ(failed_verdicts(input, {{1, 3}, {3, 5}, {7, 9}}, 1),
              Texts{"balance: rank 0 owns 2 keys, more than 1"});
}

/// Uniform keys on four GPUs, so that every pair of ranks exchanges some.
SortCase four_ranks() {
    SortCase sort_case;
    sort_case.config.gpu_count = 4;
    sort_case.config.key_count = 4000;
    for (std::uint64_t i = 0; i < sort_case.config.key_count; ++i) {
        sort_case.images.push_back(mix_bits(i) & 0xffffffffU);
    }
    return sort_case;
}

std::vector<RecordedRun> traces_of_four_ranks() {
    std::vector<RecordedRun> traces;
    for (RankResult& result : sort_by_ranks(evenly_shared(four_ranks()))) {
        traces.push_back(std::move(result.records));
        traces.back().name = "rank" + std::to_string(traces.size() - 1);
    }
    return traces;
}

TEST(RankTraces, NameThePairWhoseCountsDisagree) {
    auto traces = traces_of_four_ranks();
    auto const to_two = std::ranges::find(traces[1].copies, GpuId{2}, &CopyRecord::destination);
    ASSERT_NE(to_two, traces[1].copies.end());
    to_two->count -= 1;
    auto const merged = model::verify::merge_ranks(traces);
    ASSERT_TRUE(merged.has_value());
    ASSERT_EQ(merged->differences.size(), 1U);
    auto const& difference = merged->differences.front();
    EXPECT_EQ(difference.expected.substr(0, 11), "rank 1 sent");
    EXPECT_EQ(difference.recorded.substr(0, 15), "rank 2 received");
}

TEST(RankTraces, SeeAnyChangedCopyAndPlacement) {
    auto const traces = traces_of_four_ranks();
    for (std::size_t rank = 0; rank < traces.size(); ++rank) {
        for (std::size_t i = 0; i < traces[rank].copies.size(); ++i) {
            if (traces[rank].copies[i].source == traces[rank].copies[i].destination) {
                continue; // involves one rank only; the plan's check finds it
            }
            auto changed = traces;
            changed[rank].copies[i].destination_offset += 1;
            EXPECT_FALSE(model::verify::merge_ranks(changed)->differences.empty());
        }
    }
    auto changed = traces;
    changed[3].placements.back().end += 1;
    EXPECT_FALSE(model::verify::merge_ranks(changed)->differences.empty());
}

TEST(RankTraces, RefuseWhatIsNotOneRun) {
    auto const traces = traces_of_four_ranks();
    auto const error = [](std::vector<RecordedRun> const& given) {
        auto const merged = model::verify::merge_ranks(given);
        return merged ? "" : merged.error().message();
    };
    EXPECT_EQ(error({traces[0], traces[1], traces[3]}),
              "--ranks: the trace of rank 2 is missing (give one trace of each rank)");
    EXPECT_EQ(error({traces[0], traces[1], traces[1]}),
              "rank1: is of rank 1, as 'rank1' is (give one trace of each rank)");
    auto other = traces;
    other[2].header.tolerance_ppm += 1;
    EXPECT_EQ(error(other), "rank2: is of another run than 'rank0' (give the traces of one run)");
    auto whole = traces;
    whole[0].ownership.push_back(whole[1].ownership.front());
    EXPECT_NE(error(whole), "");
}

} // namespace
} // namespace keyswap::proptests

int main(int argc, char** argv) {
    return keyswap::proptests::run_rank_tests(argc, argv, keyswap::proptests::sort_as_rank);
}
