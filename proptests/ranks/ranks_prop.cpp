/// \file Sorts by ranks that share nothing against the same sorts in one process.

#include "model/verify/rank_traces.hpp"
#include "proptests/properties/case_generators.hpp"
#include "proptests/ranks/rank_run.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <tuple>

namespace keyswap::proptests {
namespace {

using conformance::RecordedRun;
using model::NoValue;

std::vector<model::Algorithm const*> rank_sorts() {
    std::vector<model::Algorithm const*> sorts;
    std::ranges::copy_if(model::algorithms(), std::back_inserter(sorts), [](auto const* sort) {
        return model::ranks_can_sort(*sort);
    });
    return sorts;
}

std::vector<DigestRecord> in_order(std::vector<DigestRecord> digests) {
    std::ranges::sort(digests, {}, [](DigestRecord const& digest) {
        return std::tuple(digest.stage, digest.gpu, digest.bucket);
    });
    return digests;
}

template <class Image, class Value>
void expect_same_as_one_process(model::Algorithm const& algorithm,
                                SortCase const& sort_case,
                                std::span<model::IndexRange const> shares) {
    auto const results = sort_by_ranks<Image, Value>(algorithm, sort_case, shares);
    auto keys = keys_of<Image, Value>(sort_case, {0, sort_case.images.size()});
    auto scratch = model::RankKeys<Image, Value>::of_size(keys.keys.size());
    model::MaterializedSource source{std::span<Image const>(keys.keys)};
    auto const plan = algorithm.plan(sort_case.config, source);
    if (!plan) {
        for (auto const& result : results) {
            RC_ASSERT(result.failure == plan.error().message());
        }
        return;
    }
    conformance::RecordedRunSink sink("one process");
    sink.write(model::header_of(sort_case.config, algorithm.name));
    (*plan)->record(sink);
    model::ReplayMemory<Image, Value> const memory{keys.arrays(), scratch.arrays()};
    RC_ASSERT(!(*plan)->replay(memory, &sink).has_value());

    std::vector<RecordedRun> traces;
    std::uint64_t base = 0;
    for (auto const& result : results) {
        RC_ASSERT(result.failure.empty());
        for (VerdictRecord const& verdict : result.verdicts) {
            RC_ASSERT(verdict.holds);
        }
        auto const& owned = result.owned;
        RC_ASSERT(
            std::ranges::equal(owned.keys, std::span(keys.keys).subspan(base, owned.keys.size())));
        if constexpr (!std::is_same_v<Value, NoValue>) {
            RC_ASSERT(owned.values ==
                      std::vector<Value>(keys.values.begin() + base,
                                         keys.values.begin() + base + owned.values.size()));
        }
        base += owned.keys.size();
        traces.push_back(result.records);
    }
    RC_ASSERT(base == keys.keys.size());
    auto const merged = conformance::merge_ranks(traces);
    RC_ASSERT(merged.has_value());
    RC_ASSERT(merged->differences.empty());
    RecordedRun const& one = sink.run();
    RC_ASSERT(merged->run.functions == one.functions);
    RC_ASSERT(merged->run.histograms == one.histograms);
    RC_ASSERT(merged->run.placements == one.placements);
    RC_ASSERT(merged->run.ownership == one.ownership);
    RC_ASSERT(merged->run.copies == one.copies);
    RC_ASSERT(merged->run.sort_ranges == one.sort_ranges);
    RC_ASSERT(in_order(merged->run.digests) == in_order(one.digests));
}

template <class Value>
void expect_same_of_width(model::Algorithm const& algorithm,
                          SortCase const& sort_case,
                          std::span<model::IndexRange const> shares) {
    if (key_bits(sort_case.config.key_type) == 32) {
        expect_same_as_one_process<std::uint32_t, Value>(algorithm, sort_case, shares);
    } else {
        expect_same_as_one_process<std::uint64_t, Value>(algorithm, sort_case, shares);
    }
}

/// Any sizes that a case's keys may be shared out in, often none for a rank.
std::vector<model::IndexRange> any_shares(SortCase const& sort_case) {
    std::uint64_t const n = sort_case.config.key_count;
    auto ends = *rc::gen::container<std::vector<std::uint64_t>>(
        sort_case.config.gpu_count - 1, rc::gen::inRange<std::uint64_t>(0, n + 1));
    std::ranges::sort(ends);
    ends.push_back(n);
    std::adjacent_difference(ends.begin(), ends.end(), ends.begin());
    return model::ranges_of(ends);
}

RC_GTEST_PROP(Ranks, DecideAndRecordWhatOneProcessDoes, ()) {
    SortCase const sort_case = *any_sort_case(500);
    expect_same_of_width<NoValue>(
        **rc::gen::elementOf(rank_sorts()), sort_case, even_shares_of(sort_case));
}

RC_GTEST_PROP(Ranks, CarryValuesAsOneProcessDoes, ()) {
    SortCase const sort_case = *any_sort_case(500);
    expect_same_of_width<std::uint32_t>(
        **rc::gen::elementOf(rank_sorts()), sort_case, even_shares_of(sort_case));
}

RC_GTEST_PROP(Ranks, SortSharesOfAnySizesAsOneProcessSortsTheirKeys, ()) {
    SortCase const sort_case = *any_sort_case(500);
    auto const* const algorithm = *rc::gen::elementOf(rank_sorts());
    auto const shares = any_shares(sort_case);
    if (*rc::gen::arbitrary<bool>()) {
        expect_same_of_width<NoValue>(*algorithm, sort_case, shares);
    } else {
        expect_same_of_width<std::uint64_t>(*algorithm, sort_case, shares);
    }
}

/// Does to a rank's messages what a fault would.
class FaultyEnd final : public model::Communicator {
  public:
    enum class Fault { leaves, cuts_a_message, skips_a_step };

    FaultyEnd(model::Communicator& end, Fault fault, int step)
        : end_(end), fault_(fault), step_(step) {}

    std::uint32_t rank() const override { return end_.rank(); }
    std::uint32_t size() const override { return end_.size(); }
    void exchange(std::string_view step,
                  std::span<std::span<std::byte const> const> sends,
                  std::span<std::span<std::byte> const> receives) override {
        bool const now = step_-- == 0;
        if (now && fault_ == Fault::leaves) {
            throw model::RankFailure(std::string(step), {end_.rank()}, "leaves on purpose");
        }
        if (now && fault_ == Fault::skips_a_step) {
            return;
        }
        std::vector<std::span<std::byte const>> sent(sends.begin(), sends.end());
        auto& message = sent[(end_.rank() + 1) % end_.size()];
        if (now && fault_ == Fault::cuts_a_message && !message.empty()) {
            message = message.first(message.size() - 1);
        }
        end_.exchange(step, sent, receives);
    }

  private:
    model::Communicator& end_;
    Fault fault_;
    int step_;
};

/// Uniform keys on four GPUs: every step has a message of every pair.
SortCase four_ranks() {
    SortCase sort_case;
    sort_case.config.gpu_count = 4;
    sort_case.config.key_count = 4000;
    for (std::uint64_t i = 0; i < sort_case.config.key_count; ++i) {
        sort_case.images.push_back(mix_bits(i) & 0xffffffffU);
    }
    return sort_case;
}

class RankFaults : public testing::TestWithParam<std::tuple<FaultyEnd::Fault, int>> {};

TEST_P(RankFaults, EndAllRanksAndNameTheOne) {
    auto const fault = std::get<0>(GetParam());
    int const step = std::get<1>(GetParam());
    constexpr std::uint32_t faulty = 2;
    auto const results = sort_by_ranks<std::uint32_t, NoValue>(
        **model::find_algorithm("rmg"),
        four_ranks(),
        model::ranges_of(std::vector<std::uint64_t>{1500, 500, 1500, 500}),
        [&](model::Communicator& end) -> std::unique_ptr<model::Communicator> {
            return end.rank() == faulty ? std::make_unique<FaultyEnd>(end, fault, step) : nullptr;
        });
    bool blamed = false;
    for (std::uint32_t rank = 0; rank < results.size(); ++rank) {
        EXPECT_NE(results[rank].failure, "") << "rank " << rank << " noticed nothing";
        blamed = blamed || (rank != faulty && results[rank].blamed == std::vector{faulty});
    }
    EXPECT_TRUE(blamed) << results[0].failure << '\n' << results[3].failure;
}

// Steps: evening out, histograms, agreement, partitioning, key swap, check. Without the second a
// rank would plan from counts that no rank sent.
INSTANTIATE_TEST_SUITE_P(AtEveryStep,
                         RankFaults,
                         testing::Combine(testing::Values(FaultyEnd::Fault::leaves,
                                                          FaultyEnd::Fault::cuts_a_message),
                                          testing::Range(0, 6)));
INSTANTIATE_TEST_SUITE_P(WithoutAStep,
                         RankFaults,
                         testing::Combine(testing::Values(FaultyEnd::Fault::skips_a_step),
                                          testing::Values(0, 2, 3, 4)));

TEST(Ranks, ThatWereStartedDifferentlyAreNamed) {
    model::ThreadRanks ranks(3, std::chrono::seconds(60));
    std::vector<std::string> errors(3);
    ranks.run([&](model::Communicator& end) {
        auto const same = model::expect_same_start(end, end.rank() == 1 ? "2 keys" : "1 key");
        errors[end.rank()] = same ? "" : same.error().message();
    });
    for (std::string const& error : errors) {
        EXPECT_EQ(error,
                  "rank 1: started as '2 keys', rank 0 as '1 key' (start all ranks of one sort "
                  "alike)");
    }
}

/// What the check of all ranks says of keys that each holds, all of them once sorted.
std::vector<std::string> failed_verdicts(std::vector<std::vector<std::uint32_t>> const& before,
                                         std::vector<std::vector<std::uint32_t>> after,
                                         std::uint64_t owned_max) {
    model::ThreadRanks ranks(static_cast<std::uint32_t>(before.size()), std::chrono::seconds(60));
    std::vector<std::vector<std::string>> failed(before.size());
    ranks.run([&](model::Communicator& end) {
        using Keys = model::KeyArrays<std::uint32_t, NoValue>;
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

TEST(Ranks, CheckTellsWhatIsWrong) {
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

std::vector<RecordedRun> traces_of_four_ranks() {
    std::vector<RecordedRun> traces;
    for (auto& result : sort_by_ranks<std::uint32_t, NoValue>(
             **model::find_algorithm("rmg"), four_ranks(), even_shares_of(four_ranks()))) {
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
    auto const merged = conformance::merge_ranks(traces);
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
                continue; // of one rank alone; the plan's own check sees it
            }
            auto changed = traces;
            changed[rank].copies[i].destination_offset += 1;
            EXPECT_FALSE(conformance::merge_ranks(changed)->differences.empty());
        }
    }
    auto changed = traces;
    changed[3].placements.back().end += 1;
    EXPECT_FALSE(conformance::merge_ranks(changed)->differences.empty());
}

TEST(RankTraces, RefuseWhatIsNotOneRun) {
    auto const traces = traces_of_four_ranks();
    auto const error = [](std::vector<RecordedRun> const& given) {
        auto const merged = conformance::merge_ranks(given);
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
