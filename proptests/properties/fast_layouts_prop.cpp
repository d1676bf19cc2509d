/// \file Copies of variant `fast`: permitted ways to split them, and permitted offsets.

#include "model/verify/verify_trace.hpp"
#include "proptests/properties/fast_run.hpp"
#include "proptests/properties/reference_run.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

namespace keyswap::proptests {
namespace {

using model::verify::RecordedRun;

std::vector<std::string> differences_of(RecordedRun const& run) {
    auto const report = model::verify::verify_run(run);
    if (!report) {
        return {report.error().message()};
    }
    std::vector<std::string> all;
    for (model::verify::Difference const& difference : report->differences) {
        all.push_back(sentence_of(difference));
    }
    return all;
}

/// Number of differences whose sentence contains the given text.
std::size_t count_of(std::vector<std::string> const& differences, std::string const& words) {
    return static_cast<std::size_t>(
        std::ranges::count_if(differences, [&words](std::string const& difference) {
            return difference.find(words) != std::string::npos;
        }));
}

/// Splits some copies in two, shuffles them, and adds some empty ones.
void cut_copies(RecordedRun& run) {
    std::vector<CopyRecord> parts;
    for (CopyRecord const& copy : run.copies) {
        auto const first = *rc::gen::inRange<std::uint64_t>(0, copy.count);
        CopyRecord one = copy;
        CopyRecord other = copy;
        one.count = first;
        other.source_offset += first;
        other.destination_offset += first;
        other.count -= first;
        parts.insert(*rc::gen::arbitrary<bool>() ? parts.begin() : parts.end(), one);
        parts.push_back(other);
        if (*rc::gen::arbitrary<bool>()) {
            CopyRecord nothing = copy;
            nothing.count = 0;
            nothing.source_offset = *rc::gen::inRange<std::uint64_t>(0, 40);
            nothing.destination_offset = *rc::gen::inRange<std::uint64_t>(0, 40);
            parts.push_back(nothing);
        }
    }
    run.copies = parts;
}

TEST(FastLayouts, ACopyMayBeMadeInParts) {
    for (SwapLayout const layout : {SwapLayout::by_source, SwapLayout::by_round}) {
        for (int const version : {1, 2}) {
            RecordedRun const whole =
                version == 1 ? as_version_1(fast_run(layout)) : fast_run(layout);
            ASSERT_EQ(differences_of(whole), std::vector<std::string>{});
            EXPECT_TRUE(rc::check("in parts", [&whole] {
                RecordedRun run = whole;
                cut_copies(run);
                RC_ASSERT(differences_of(run) == std::vector<std::string>{});
            }));
        }
    }
}

TEST(FastLayouts, NoMoreIsSentThanAChunkMayHold) {
    // 120 keys, 3 GPUs: C = 40, and E = 12, 30 % of C.
    constexpr std::uint64_t most = 40 + 2 * 12;
    // Version 1 does not record rounds, which would be reported first.
    RecordedRun const run = as_version_1(fast_run(SwapLayout::by_round));
    for (GpuId const gpu : {GpuId{0}, GpuId{1}, GpuId{2}}) {
        std::uint64_t sent = 0;
        for (CopyRecord const& copy : run.copies) {
            sent += copy.source == gpu ? copy.count : 0;
        }
        for (std::uint64_t const more : {most - sent, most - sent + 1}) {
            RecordedRun longer = run;
            auto const last = std::ranges::find(
                longer.copies.rbegin(), longer.copies.rend(), gpu, &CopyRecord::source);
            last->count += more;
            auto const differences = differences_of(longer);
            EXPECT_GE(differences.size(), 1U);
            EXPECT_EQ(count_of(differences,
                               "GPU " + std::to_string(gpu.value) +
                                   ": expected a chunk of at most 64 keys (C + 2E), recorded a "
                                   "larger one."),
                      sent + more > most ? 1U : 0U)
                << gpu.value << ' ' << more << '\n'
                << ::testing::PrintToString(differences);
        }
    }
}

TEST(FastLayouts, WhatIsSentLiesSideBySide) {
    RecordedRun const run = fast_run(SwapLayout::by_round);
    EXPECT_TRUE(rc::check("moved", [&run] {
        RecordedRun moved = run;
        auto const index = *rc::gen::inRange<std::size_t>(0, run.copies.size());
        CopyRecord& copy = moved.copies[index];
        bool const arriving = *rc::gen::arbitrary<bool>();
        auto const by = *rc::gen::inRange<std::uint64_t>(1, 4);
        (arriving ? copy.destination_offset : copy.source_offset) += by;
        auto const differences = differences_of(moved);
        RC_ASSERT(differences.size() >= 1U);
    }));
}

} // namespace
} // namespace keyswap::proptests
