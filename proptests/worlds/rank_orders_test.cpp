/// \file Every delivery order of messages between the ranks of a sort. A rank's messages depend
/// only on what it has received, so the completed steps of all ranks are the whole state. This is
/// checked: in a given step, a rank receives the same messages whatever the order. Each state is
/// left once by each rank that can continue.

#include "model/ranks/rank_sort.hpp"
#include "proptests/ranks/rank_job.hpp"
#include "proptests/worlds/ordered_ranks.hpp"
#include "proptests/worlds/small_inputs.hpp"
#include "proptests/worlds/world_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

namespace keyswap::proptests {
namespace {

using Messages = std::vector<std::vector<std::byte>>;

/// Facts about a job's states, collected over all its runs.
struct Known {
    std::map<RankSteps, std::vector<std::size_t>>
        path_to; ///< the choices that first led to this state
    std::map<std::pair<std::uint32_t, std::uint64_t>, Messages> messages; ///< by rank and step
};

/// Runs the job once; new states use the next choice. \returns the problem; "" if there is none
std::string
run_in_order(RankJob const& job, RankResult const& expected, Choices& choices, Known& known) {
    std::vector<std::size_t> path;
    bool depends_on_order = false;
    auto const order = [&](RankSteps const& steps, std::vector<std::uint32_t> const& ready) {
        auto const [first, is_new] = known.path_to.try_emplace(steps, path);
        std::size_t const chosen =
            is_new || first->second == path ? choices.below(ready.size()) : 0;
        path.push_back(chosen);
        return chosen;
    };
    auto const compare = [&](std::uint32_t rank, std::uint64_t step, Messages& messages) {
        auto const first = known.messages.try_emplace(std::pair(rank, step), messages).first;
        depends_on_order = depends_on_order || first->second != messages;
    };
    std::uint32_t const count = job.sort_case.config.gpu_count;
    OrderedRanks ranks(count, order, compare);
    std::string const text = to_text(job);
    std::vector<std::string> results(count);
    if (!ranks.run(
            [&](model::Communicator& end) { results[end.rank()] = sort_as_rank(end, text); })) {
        return "the ranks are stuck";
    }
    std::vector<std::uint64_t> images;
    std::vector<std::uint64_t> values;
    for (std::string const& one : results) {
        RankResult const result = parse_result(one);
        if (result.failure != expected.failure) {
            return "a rank failed: " + result.failure;
        }
        images.insert(images.end(), result.images.begin(), result.images.end());
        values.insert(values.end(), result.values.begin(), result.values.end());
    }
    if (images != expected.images || values != expected.values) {
        return "the output is not that of one process";
    }
    return depends_on_order ? "a message depends on the order" : "";
}

RankJob job_of(std::vector<std::uint64_t> images, std::uint32_t ranks, std::string const& sort) {
    SortCase sort_case;
    sort_case.config.gpu_count = ranks;
    sort_case.config.key_count = images.size();
    sort_case.config.value_type = ValueType::bits32;
    sort_case.config.stability = Stability::stable;
    sort_case.images = std::move(images);
    RankJob job = evenly_shared(sort_case);
    job.algorithm = sort;
    job.value_bits = 32;
    return job;
}

void expect_right_in_every_order(std::uint32_t ranks,
                                 std::size_t keys_max,
                                 std::string const& sort) {
    WorldTable table_of_inputs("inputs of ranks");
    WorldTable table_of_orders("orders of messages");
    WorldTable table_of_states("states of ranks");
    Choices inputs;
    while (inputs.next()) {
        auto images = small_input(inputs, one_digit());
        if (!images || images->size() > keys_max) {
            continue;
        }
        RankJob const job = job_of(std::move(*images), ranks, sort);
        RankResult const expected = sort_in_one_process(job);
        Known known;
        Choices choices;
        while (choices.next()) {
            auto const problem = run_in_order(job, expected, choices, known);
            ASSERT_EQ(problem, "") << to_text(job);
        }
        std::string const name = sort + " on " + std::to_string(ranks);
        table_of_inputs.add(name);
        table_of_orders.add(name, choices.worlds());
        table_of_states.add(name, known.path_to.size());
    }
}

TEST(RankOrders, OfTwoRanksGiveWhatOneProcessGives) {
    expect_right_in_every_order(2, 6, "rmg");
}

TEST(RankOrders, OfThreeRanksGiveWhatOneProcessGives) {
    expect_right_in_every_order(3, 4, "rmg");
}

TEST(RankOrders, OfSampleSortGiveWhatOneProcessGives) {
    expect_right_in_every_order(2, 5, "sample-sort");
}

/// Detects that a rank receives the messages of two sources swapped. The first step's messages are
/// digests, whose sum does not depend on the order.
TEST(RankOrders, ShowTwoMessagesThatAreExchanged) {
    RankJob const job = job_of({2, 0, 1, 2, 1, 0}, 3, "rmg");
    RankResult const expected = sort_in_one_process(job);
    int planted = 0;
    int found = 0;
    for (std::uint64_t faulty = 1; faulty < 16; ++faulty) {
        bool is_planted = false;
        auto const exchange_two = [&](std::uint32_t rank, std::uint64_t step, Messages& messages) {
            if (rank == 2 && step == faulty && messages[0] != messages[1]) {
                std::swap(messages[0], messages[1]);
                is_planted = true;
            }
        };
        OrderedRanks ranks(
            3, [](auto const&, auto const&) { return std::size_t{0}; }, exchange_two);
        std::vector<std::string> results(3);
        bool const came_to_end = ranks.run([&](model::Communicator& end) {
            results[end.rank()] = sort_as_rank(end, to_text(job));
        });
        std::vector<std::uint64_t> values;
        bool failed = !came_to_end;
        for (std::string const& text : results) {
            RankResult const result = parse_result(text);
            failed = failed || !result.failure.empty();
            values.insert(values.end(), result.values.begin(), result.values.end());
            for (VerdictRecord const& verdict : result.records.verdicts) {
                failed = failed || !verdict.holds;
            }
        }
        planted += is_planted ? 1 : 0;
        found += is_planted && (failed || values != expected.values) ? 1 : 0;
    }
    EXPECT_EQ(planted, 3); // one of them exchanges keys
    EXPECT_EQ(found, planted);
}

/// A rank that skips its last step leaves the others waiting, which must end as a finding.
TEST(RankOrders, ShowRanksThatAreStuck) {
    OrderedRanks ranks(2, [](auto const&, auto const&) { return std::size_t{0}; });
    bool const came_to_end = ranks.run([](model::Communicator& end) {
        if (end.rank() == 0) {
            try {
                static_cast<void>(model::all_gather(end, "alone", 1));
            } catch (model::RankFailure const&) { // expected
            }
        }
    });
    EXPECT_FALSE(came_to_end);
}

} // namespace
} // namespace keyswap::proptests
