/// \file Every fault of a partition or a search is found, wherever it is planted.

#include "model/verify/verify_trace.hpp"
#include "proptests/faults/planted_faults.hpp"
#include "proptests/faults/trace_fault_kinds.hpp"
#include "proptests/properties/reference_external.hpp"
#include "proptests/properties/reference_partition.hpp"
#include "proptests/properties/verified_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

namespace keyswap::proptests {
namespace {

using model::verify::RecordedRun;

TEST(PartitionFaults, AreFoundWhereverTheyArePlanted) {
    testing::TemporaryFolder const folder;
    expect_found(partition_faults(),
                 [&folder] { return record_partitions(*any_multisplit(folder)); });
}

TEST(ShuffleFaults, AreFoundWhereverTheyArePlanted) {
    testing::TemporaryFolder const folder;
    expect_found(shuffle_faults(), [&folder] { return record_partitions(*any_shuffle(folder)); });
}

TEST(StepFaults, AreFoundWhereverTheyArePlanted) {
    expect_found(step_faults(), [] { return record_partitions(*any_sort_by_steps()); });
}

TEST(ExternalFaults, AreFoundWhereverTheyArePlanted) {
    // Every fault gets the same sorts, at other places: making a sort costs more than verifying it.
    constexpr std::size_t sorts = 24;
    std::vector<std::optional<RecordedRun>> runs;
    std::deque<testing::TemporaryFolder> folders;
    expect_found(external_faults(), [&] {
        auto const full_size = [](auto gen) { return rc::gen::resize(rc::kNominalSize, gen); };
        while (runs.size() < sorts) {
            runs.push_back(record_external(*full_size(any_external_sort(folders.emplace_back()))));
        }
        return runs[*full_size(rc::gen::inRange<std::size_t>(0, sorts))];
    });
}

TEST(PathFaults, AreFoundWhereverTheyArePlanted) {
    expect_found(path_faults(), [] { return record_search(*any_path_header()); });
}

TEST(PartitionFaults, ARunWithoutOneIsNotSuspected) {
    testing::TemporaryFolder const folder;
    EXPECT_TRUE(rc::check("a correct run agrees with the model", [&folder] {
        auto const one = *rc::gen::oneOf(any_multisplit(folder),
                                         any_shuffle(folder),
                                         any_histogram_case(folder),
                                         any_sort_by_steps());
        auto const run = record_partitions(one);
        RC_ASSERT(run.has_value());
        auto const report = assert_holds(*run);
        // A sort by steps has no catalogue row, which would define its functions.
        RC_ASSERT(report.unchecked.empty() || one.header.operation == Operation::sort);
    }));
}

/// Counts and sums of tiles that exactly fill the memory are checked; larger ones are refused.
TEST(PartitionTables, MayFillMemory) {
    testing::TemporaryFolder const folder;
    std::size_t filled = 0;
    EXPECT_TRUE(rc::check("tables in the least memory", [&] {
        PartitionCase const one = *any_multisplit(folder);
        auto run = record_partitions(one);
        RC_ASSERT(run.has_value());
        std::uint64_t tables_bytes = 0; // of the largest table
        for (PartitionRecord& record : run->partitions) {
            if (record.table) {
                record.tile_keys = *rc::gen::inRange(1U, 8U);
                record.table = table_of(one, record);
                std::uint64_t const tiles =
                    (record.count + record.tile_keys - 1) / record.tile_keys;
                tables_bytes = std::max(tables_bytes,
                                        tiles * record.starts.size() * 2 * sizeof(std::uint64_t));
            }
        }
        constexpr std::uint64_t key_bytes = 64; // memory for the keys themselves
        if (tables_bytes <= run->header.key_count * key_bytes) {
            return;
        }
        assert_holds(*run, {.memory_bytes = tables_bytes});
        RC_ASSERT(!model::verify::verify_run(*run, {.memory_bytes = tables_bytes - 1}));
        ++filled;
    }));
    EXPECT_GE(filled, 3U);
}

/// Without the keys, records are only compared with each other.
TEST(PartitionFaults, AreFoundWithoutTheKeysWhereRecordsContradictEachOther) {
    testing::TemporaryFolder const folder;
    EXPECT_TRUE(rc::check("counts, starts and digests agree", [&folder] {
        auto run = record_partitions(*any_multisplit(folder));
        RC_ASSERT(run.has_value());
        run->header.input.generator_version = 99;
        auto const untouched = assert_holds(*run);
        RC_ASSERT(untouched.unchecked.front().check == model::verify::Check::input);
        run->partitions.front().starts.back() += 1;
        assert_differs(*run);
    }));
}

TEST(ShuffleFaults, AreFoundWithoutTheKeysWhereRecordsContradictEachOther) {
    testing::TemporaryFolder const folder;
    EXPECT_TRUE(rc::check("counts, copies and arrivals agree", [&folder] {
        auto run = record_partitions(*any_shuffle(folder));
        RC_ASSERT(run.has_value());
        run->header.input.generator_version = 99;
        assert_holds(*run);
        if (!run->copies.empty()) {
            auto wrong = *run;
            wrong.copies.back().destination_offset += 1;
            assert_differs(wrong);
            wrong = *run;
            wrong.digests.back().digest.high += 1;
            assert_differs(wrong);
        }
    }));
}

/// If only the run knows the function, its counts are trusted and everything else is derived.
TEST(PartitionFaults, OfAForeignFunctionAreFoundWhereRecordsContradictEachOther) {
    testing::TemporaryFolder const folder;
    EXPECT_TRUE(rc::check("a foreign function", [&folder] {
        auto run = record_partitions(*any_multisplit(folder));
        RC_ASSERT(run.has_value());
        run->functions.front().function.rule = ForeignBuckets{"mine"};
        auto const untouched = assert_holds(*run);
        RC_ASSERT(!untouched.unchecked.empty());
        auto wrong = *run;
        wrong.partitions.front().starts.back() += 1;
        assert_differs(wrong);
        if (!run->digests.empty()) {
            wrong = *run;
            wrong.digests.front().digest.low += 1;
            assert_differs(wrong);
        }
    }));
}

/// Recordings of one input and function by two methods; stable methods have equal outputs.
TEST(PartitionFaults, TwoStableMethodsThatDisagreeAreNotDeterministic) {
    testing::TemporaryFolder const folder;
    PartitionCase one;
    one.header.version = 2;
    one.header.algorithm = "multisplit";
    one.header.operation = Operation::multisplit;
    one.header.key_count = 300;
    one.header.gpus = {0};
    one.header.input.distribution = "uniform";
    one.header.input.generator_version = 2;
    one.functions = {{10, HashBuckets{3}}};
    std::vector<RecordedRun> runs;
    for (char const* const method : {"atomic", "warp", "block", "fused"}) {
        one.header.variant = method;
        runs.push_back(*record_partitions(one));
    }
    runs.back().partitions.front().output->low += 1;
    std::vector<model::verify::Report> reports(runs.size());
    model::verify::verify_determinism(runs, reports);
    EXPECT_TRUE(reports[0].holds());
    EXPECT_TRUE(reports[1].holds());
    EXPECT_TRUE(reports[2].holds());
    ASSERT_FALSE(reports[3].holds());
    EXPECT_EQ(reports[3].differences.front().verdict, model::verify::Verdict::not_deterministic);
}

} // namespace
} // namespace keyswap::proptests
