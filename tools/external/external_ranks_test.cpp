#include "model/ranks/agreement.hpp"
#include "model/ranks/thread_communicator.hpp"
#include "tools/external/external_case_test.hpp"
#include "tools/external/external_sort.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace keyswap::tools {

namespace {

/// Runs a sort by ranks. \return [rank] results \param faulty storage of the last rank, or null
std::vector<Expected<ExternalResult>>
run_by_ranks(ExternalJob const& job, std::uint32_t rank_count, Storage* faulty = nullptr) {
    FaultyStorage good(FaultyStorage::Fault::none, 0);
    std::vector<Expected<ExternalResult>> results(rank_count, ExternalResult{});
    model::ThreadRanks ranks(rank_count, std::chrono::seconds(60));
    ranks.run([&](model::Communicator& end) {
        ExternalJob own = job;
        own.rank = end.rank();
        own.rank_count = rank_count;
        own.threads = 1 + end.rank() % 2;
        own.engine = make_cpu_range_engine(1);
        bool const fails = faulty != nullptr && end.rank() + 1 == rank_count;
        try {
            results[end.rank()] = sort_external(own, {}, fails ? *faulty : good, &end);
        } catch (model::RankFailure const& failure) {
            results[end.rank()] = tl::unexpected(model::error_of(failure));
        }
    });
    return results;
}

void expect_sorted(Case const& test, std::uint32_t rank_count, ExternalResult const& alone) {
    auto const results = run_by_ranks(test.job, rank_count);
    for (auto const& result : results) {
        ASSERT_TRUE(result) << result.error().message();
        EXPECT_EQ(result->records, alone.records);
        EXPECT_EQ(result->digest, alone.digest);
        EXPECT_LE(result->buffer_bytes, test.job.memory_bytes);
    }
    EXPECT_EQ(results.front()->written_bytes, alone.written_bytes);
    EXPECT_TRUE(testing::text_of(test.job.outputs[0]) == test.sorted);
    EXPECT_FALSE(fs::exists(test.job.scratch));
    fs::remove(test.job.outputs[0]);
}

void expect_as_alone(Case const& test) {
    auto const alone = test.run();
    ASSERT_TRUE(alone) << alone.error().message();
    fs::remove(test.job.outputs[0]);
    for (std::uint32_t const rank_count : {1U, 2U, 3U}) {
        SCOPED_TRACE(std::to_string(rank_count) + " ranks");
        expect_sorted(test, rank_count, *alone);
    }
}

} // namespace

TEST(ExternalRanks, SortKeysAsOneProcess) {
    for (char const* const distribution : {"uniform", "zipf", "zero"}) {
        SCOPED_TRACE(distribution);
        expect_as_alone(Case(u64_keys, keys_of(distribution, 50'000), MiB));
    }
    expect_as_alone(Case(u64_keys, keys_of("uniform", 3), MiB)); // some ranks have no ranges
    expect_as_alone(Case(u64_keys, {}, MiB));
}

TEST(ExternalRanks, KeepEqualRecordsInOrder) {
    auto const layout = model::parse_record_layout(100, "50:1", Direction::ascending).value();
    expect_as_alone(Case(layout, records_of(layout, 10'000), MiB));
    expect_as_alone(Case(layout, records_of(layout, 60'000), 8 * MiB)); // runs in whole pages
}

TEST(ExternalRanks, ReadSeveralInputsAndStreams) {
    auto const keys = keys_of("uniform", 50'000);
    Case test(u64_keys, keys, MiB);
    std::string const all = testing::text_of(test.job.inputs.front().identity.path);
    test.job.inputs.clear();
    std::size_t first = 0;
    for (std::size_t const count : {20'000U, 0U, 1U, 29'999U}) {
        fs::path const path = test.folder.path() / std::to_string(test.job.inputs.size());
        testing::put_text(path, "h" + all.substr(8 * first, 8 * count));
        test.job.inputs.push_back({identity_of(path).value(), 1, count, {}});
        first += count;
    }
    expect_as_alone(test);
    Case stream(u64_keys, keys, MiB);
    read_as_stream(stream, keys);
    expect_as_alone(stream);
}

TEST(ExternalRanks, DivideAgainWhatDoesNotFit) {
    Case test(u64_keys, keys_of("uniform", 66'000), MiB);
    test.job.gpu_records_max = 1'100; // more ranges than buffers
    auto const alone = test.run();
    ASSERT_TRUE(alone);
    ASSERT_GT(alone->oversized_records, 0U);
    fs::remove(test.job.outputs[0]);
    expect_sorted(test, 3, *alone);
}

TEST(ExternalRanks, EndTogetherAndGoOnAfterOneDied) {
    auto const keys = keys_of("zipf", 50'000);
    FaultyStorage counting(FaultyStorage::Fault::dead, ~std::uint64_t{0});
    Case const whole(u64_keys, keys, MiB);
    ASSERT_TRUE(run_by_ranks(whole.job, 2, &counting).front());
    for (std::uint64_t at = 1; at < counting.calls(); at += counting.calls() / 7) {
        SCOPED_TRACE("call " + std::to_string(at));
        Case const test(u64_keys, keys, MiB, whole.sorted);
        FaultyStorage dying(FaultyStorage::Fault::dead, at);
        auto const died = run_by_ranks(test.job, 2, &dying);
        EXPECT_EQ(died[0].has_value(), died[1].has_value());
        if (!died[0]) {
            EXPECT_EQ(died[0].error().subject, "rank 1");
            auto const results = run_by_ranks(test.job, 2);
            ASSERT_TRUE(results[0]) << results[0].error().message();
        }
        EXPECT_TRUE(testing::text_of(test.job.outputs[0]) == test.sorted);
    }
}

TEST(ExternalRanks, SayWhichDiskIsFullAndRefuseToGoOnAsOthers) {
    Case const test(u64_keys, keys_of("uniform", 50'000), MiB);
    FaultyStorage counting(FaultyStorage::Fault::full_disk, ~std::uint64_t{0});
    ASSERT_TRUE(run_by_ranks(test.job, 3, &counting).front());
    fs::remove(test.job.outputs[0]);
    FaultyStorage full(FaultyStorage::Fault::full_disk, counting.calls() / 2);
    auto const results = run_by_ranks(test.job, 3, &full);
    for (auto const& result : results) {
        ASSERT_FALSE(result);
        EXPECT_NE(result.error().message().find("No space left"), std::string::npos)
            << result.error().message();
    }
    auto const others = run_by_ranks(test.job, 2);
    ASSERT_FALSE(others[0]);
    EXPECT_NE(others[0].error().message().find("another number of ranks: 3 instead of 2"),
              std::string::npos)
        << others[0].error().message();
    ASSERT_TRUE(run_by_ranks(test.job, 3).front());
    EXPECT_TRUE(testing::text_of(test.job.outputs[0]) == test.sorted);
}

} // namespace keyswap::tools
