#include "model/verify/bounds/record_bounds.hpp"

#include "model/verify/bounds/plausible_time.hpp"
#include "model/verify/expected/expected_run.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace keyswap::model::verify {
namespace {

constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max() - 1;

/// Two GPUs, six 32-bit keys, 8-bit digits: one record of each type within the bounds.
RecordedRun possible_run() {
    RecordedRun run;
    run.header.algorithm = "rmg";
    run.header.key_count = 6;
    run.header.gpus = {0, 1};
    run.histograms = {{{0, 0}, GpuId{1}, 0, std::vector<std::uint64_t>(256, 0)}};
    run.placements = {{{1, 255}, 0, 6, GpuId{0}, GpuId{1}, PlacementState::spanning}};
    run.ownership = {{GpuId{0}, 0, 3}, {GpuId{1}, 3, 3}};
    run.copies = {{GpuId{0}, 0, GpuId{1}, 3, 3, 0}};
    run.sort_ranges = {{GpuId{1}, 0, 3, 0, 24}};
    run.merges = {{0, GpuId{1}, 0, {2, 1}}, {0, std::nullopt, 0, {3, 3}}};
    run.digests = {{DigestStage::after_swap, GpuId{1}, {4, 0xffffffff}, {}}};
    run.phase_times = {{GpuId{1}, Phase::key_swap, 0, 0, 10}};
    return run;
}

model::SortConfig config() {
    return config_of(possible_run().header).value();
}

struct Fault {
    char const* name;
    Check check;
    std::function<void(RecordedRun&)> plant;
};

std::vector<Fault> faults() {
    using Run = RecordedRun;
    return {
        {"histogram's GPU", Check::histograms, [](Run& r) { r.histograms[0].gpu.value = 2; }},
        {"histogram's pass", Check::histograms, [](Run& r) { r.histograms[0].bucket.pass = 4; }},
        {"negative pass", Check::histograms, [](Run& r) { r.histograms[0].bucket.pass = -1; }},
        {"prefix of the input",
         Check::histograms,
         [](Run& r) { r.histograms[0].bucket.prefix = 1; }},
        {"digits", Check::histograms, [](Run& r) { r.histograms[0].counts.resize(65536); }},
        {"step of a histogram of digits",
         Check::histograms,
         [](Run& r) { r.histograms[0].step = 1; }},
        {"part beyond the memory", Check::histograms, [](Run& r) { r.histograms[0].offset = 7; }},
        {"placement's pass", Check::placements, [](Run& r) { r.placements[0].bucket.pass = 0; }},
        {"prefix too long", Check::placements, [](Run& r) { r.placements[0].bucket.prefix = 256; }},
        {"placement's GPU", Check::placements, [](Run& r) { r.placements[0].last.value = 64; }},
        {"GPUs the wrong way",
         Check::placements,
         [](Run& r) { r.placements[0].last.value = 0, r.placements[0].first.value = 1; }},
        {"bucket beyond the end", Check::placements, [](Run& r) { r.placements[0].end = 7; }},
        {"bucket ends before it begins",
         Check::placements,
         [](Run& r) { r.placements[0].begin = huge; }},
        {"owner", Check::ownership, [](Run& r) { r.ownership[1].gpu.value = 2; }},
        {"owned keys that wrap around",
         Check::ownership,
         [](Run& r) { r.ownership[1].base = huge; }},
        {"source", Check::copies, [](Run& r) { r.copies[0].source.value = 99; }},
        {"destination", Check::copies, [](Run& r) { r.copies[0].destination.value = 99; }},
        {"source offset that wraps around",
         Check::copies,
         [](Run& r) { r.copies[0].source_offset = huge; }},
        {"destination offset", Check::copies, [](Run& r) { r.copies[0].destination_offset = 4; }},
        {"keys copied", Check::copies, [](Run& r) { r.copies[0].count = huge; }},
        {"sort range's GPU", Check::sort_ranges, [](Run& r) { r.sort_ranges[0].gpu.value = 2; }},
        {"sort range", Check::sort_ranges, [](Run& r) { r.sort_ranges[0].offset = 4; }},
        {"step of a digest after the swap",
         Check::digests_after_swap,
         [](Run& r) { r.digests[0].step = 1; }},
        {"merging GPU", Check::sort_ranges, [](Run& r) { r.merges[0].gpu = GpuId{2}; }},
        {"merged run", Check::sort_ranges, [](Run& r) { r.merges[0].runs[1] = 5; }},
        {"runs that wrap around",
         Check::sort_ranges,
         [](Run& r) {
             r.merges[1].runs = {huge, huge, 4};
         }},
        {"merge's stage", Check::sort_ranges, [](Run& r) { r.merges[1].stage = -1; }},
        {"copy's stage", Check::copies, [](Run& r) { r.copies[0].stage = 2'000'000'000; }},
        {"digest's GPU", Check::digests_after_swap, [](Run& r) { r.digests[0].gpu.value = 64; }},
        {"digest's pass", Check::digests_after_swap, [](Run& r) { r.digests[0].bucket.pass = 5; }},
        {"digest's prefix",
         Check::digests_after_swap,
         [](Run& r) { r.digests[0].bucket.prefix = huge; }},
    };
}

TEST(RecordBounds, LetARunPassThatIsPossible) {
    EXPECT_TRUE(find_impossible_records(possible_run(), config()).empty());
    RecordedRun const run = without_impossible_records(possible_run(), config());
    EXPECT_EQ(records_of(run), records_of(possible_run()));
}

TEST(RecordBounds, FindEveryFaultAndLeaveTheRecordOut) {
    for (Fault const& fault : faults()) {
        RecordedRun run = possible_run();
        fault.plant(run);
        auto const differences = find_impossible_records(run, config());
        ASSERT_EQ(differences.size(), 1U) << fault.name;
        EXPECT_EQ(differences[0].check, fault.check) << fault.name;
        EXPECT_FALSE(differences[0].expected.empty() || differences[0].recorded.empty());
        RecordedRun const rest = without_impossible_records(run, config());
        EXPECT_EQ(records_of(rest).size() + 1, records_of(run).size()) << fault.name;
        EXPECT_TRUE(find_impossible_records(rest, config()).empty()) << fault.name;
    }
}

/// One GPU has memory for C + 2E keys, which is more than there are.
TEST(RecordBounds, LetAGpuHoldAChunkAndTwiceTheToleranceAndNoKeyMore) {
    for (std::uint32_t const tolerance_ppm : {0U, 1000U, 50'000U, 400'000U}) {
        RecordedRun run = possible_run();
        run.header.gpus = {0};
        run.header.key_count = 10'000;
        run.header.tolerance_ppm = tolerance_ppm;
        std::uint64_t const most = 10'000 + 2 * (std::uint64_t{tolerance_ppm} / 100);
        auto const finds = [&run](std::uint64_t end) {
            RecordedRun copied;
            copied.header = run.header;
            copied.copies = {{GpuId{0}, 0, GpuId{0}, end - 1, 1, 0}};
            return !find_impossible_records(copied, config_of(copied.header).value()).empty();
        };
        EXPECT_FALSE(finds(most)) << tolerance_ppm;
        EXPECT_TRUE(finds(most + 1)) << tolerance_ppm;
    }
}

TEST(RecordBounds, LeaveTimesOutThatCannotBeBelieved) {
    for (auto const& [gpu, begin_ns, end_ns] :
         {std::tuple{2U, std::int64_t{0}, std::int64_t{1}},
          std::tuple{0U, std::int64_t{2}, std::int64_t{1}},
          std::tuple{0U, std::numeric_limits<std::int64_t>::min(), std::int64_t{1}},
          std::tuple{0U, std::int64_t{1}, std::numeric_limits<std::int64_t>::max()}}) {
        RecordedRun run = possible_run();
        run.phase_times[0] = {GpuId{gpu}, Phase::key_swap, 0, begin_ns, end_ns};
        EXPECT_TRUE(without_impossible_records(run, config()).phase_times.empty());
    }
}

/// Less than 2^61 ns in either direction, so that sums of times fit in 64 bits.
TEST(RecordBounds, BelieveTimesOfLessThanACentury) {
    constexpr std::int64_t limit_ns = std::int64_t{1} << 61;
    auto const believes = [](std::int64_t begin_ns, std::int64_t end_ns, int pass = 0) {
        return is_plausible({GpuId{1}, Phase::key_swap, pass, begin_ns, end_ns}, 2);
    };
    EXPECT_TRUE(believes(0, limit_ns - 1));
    EXPECT_FALSE(believes(0, limit_ns));
    EXPECT_TRUE(believes(1 - limit_ns, 0));
    EXPECT_FALSE(believes(-limit_ns, 0));
    EXPECT_TRUE(believes(7, 7));
    EXPECT_FALSE(believes(8, 7));
    EXPECT_FALSE(believes(0, 0, -1));
    EXPECT_FALSE(is_plausible({GpuId{2}, Phase::key_swap, 0, 0, 0}, 2));
}

} // namespace
} // namespace keyswap::model::verify
