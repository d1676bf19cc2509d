#include "tools/record/shrunk_failure.hpp"

#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

namespace keyswap::conformance {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class ShrunkFailures : public ::testing::Test {
  protected:
    [[nodiscard]] ThirdPartyRuns runs_of(std::string const& function, std::uint64_t keys) const {
        ThirdPartyRuns runs;
        runs.library = KEYSWAP_EXAMPLES "/shrinkable_sorts.so";
        runs.function = function;
        runs.keys.key_count = keys;
        runs.folder = folder_.path();
        return runs;
    }

    /// First failure of the runs, shrunk within time_max.
    static ShrunkFailure shrunk(ThirdPartyRuns const& runs,
                                std::chrono::milliseconds time_max = 30s) {
        auto const report = run_third_party_sort(runs);
        EXPECT_TRUE(report.has_value() && report->first.has_value());
        if (!report || !report->first) {
            return {};
        }
        auto const smallest = shrink_failure(runs, *report->first, time_max);
        EXPECT_TRUE(smallest.has_value() && smallest->has_value());
        if (!smallest || !*smallest) {
            return {};
        }
        ShrunkFailure const& found = **smallest;
        EXPECT_EQ(found.keys_before, runs.keys.key_count);
        EXPECT_GT(found.again.failure_count, 0U);
        EXPECT_EQ(fs::file_size(found.run.input), 4 * found.keys_after);
        EXPECT_EQ(found.run.input.filename(), "smallest-input.raw");
        return found;
    }

    testing::TemporaryFolder folder_;
};

TEST_F(ShrunkFailures, OfEqualKeysAtASplitterAreFive) {
    ThirdPartyRuns runs = runs_of("exchanges_keys_at_a_splitter", 10'000);
    runs.keys.distribution = "zipf";
    runs.run_count = 50;
    runs.failure_count_max = 1;
    ShrunkFailure const found = shrunk(runs);
    EXPECT_EQ(found.keys_after, 5U);
    EXPECT_TRUE(found.minimal);
    EXPECT_EQ(found.keys.size(), 5U);
    EXPECT_FALSE(found.run.sentences.empty());
    EXPECT_GT(found.run.places.count, 0U);
}

TEST_F(ShrunkFailures, OfAnUnmergedTileAreATileAndOneKey) {
    EXPECT_EQ(shrunk(runs_of("leaves_a_tile_unmerged", 10'000)).keys_after, 257U);
}

TEST_F(ShrunkFailures, OneKeyPastTheEndIsOneKey) {
    ShrunkFailure const found = shrunk(runs_of("sorts_one_past_the_end", 10'000));
    EXPECT_LE(found.keys_after, 1U);
    EXPECT_EQ(found.run.end.end, ChildEnd::out_of_bounds);
}

TEST_F(ShrunkFailures, OfNansIsOneKey) {
    ThirdPartyRuns runs = runs_of("makes_nans_alike", 0);
    runs.keys.key_type = KeyType::f32;
    runs.keys.key_count = 1'000;
    auto keys = std::make_shared<std::vector<std::byte>>(4'000);
    for (std::uint32_t i = 0; i < 1'000; ++i) {
        std::uint32_t const bits = i == 700 ? 0xffc00001U : i;
        std::memcpy(keys->data() + 4 * std::size_t{i}, &bits, sizeof(bits));
    }
    runs.given_keys = keys;
    ShrunkFailure const found = shrunk(runs);
    EXPECT_EQ(found.keys, std::vector<std::string>{"-nan (0xffc00001)"});
}

TEST_F(ShrunkFailures, OfARaceAreSeenByRepeatedTries) {
    ThirdPartyRuns runs = runs_of("races_now_and_then", 5'000);
    runs.keys_of_runs = KeysOfRuns::same;
    runs.run_count = 2'000;
    runs.failure_count_max = 1;
    ShrunkFailure const found = shrunk(runs, 5s);
    EXPECT_LE(found.keys_after, found.keys_before);
    EXPECT_GE(found.keys_after, 100U);
    EXPECT_TRUE(found.again.is_intermittent());
}

TEST_F(ShrunkFailures, OfACommandAreShrunkToo) {
    ThirdPartyRuns runs = runs_of("", 300);
    runs.library.clear();
    runs.function.clear();
    runs.command = // sorts numbers as strings
        R"(perl -e 'undef $/; print pack("V*", sort unpack("V*", <STDIN>))')"
        " < {input} > {output}";
    ShrunkFailure const found = shrunk(runs);
    EXPECT_EQ(found.keys_after, 2U);
    EXPECT_TRUE(found.minimal);
}

TEST_F(ShrunkFailures, OfASlowCommandLeaveTimeToSearch) {
    ThirdPartyRuns runs = runs_of("", 300);
    runs.library.clear();
    runs.function.clear();
    runs.command = "sleep 0.4; cp {input} {output}";
    EXPECT_LT(shrunk(runs, 4s).keys_after, 200U);
}

TEST_F(ShrunkFailures, AreNoneIfTheFailureDoesNotShowAgain) {
    ThirdPartyRuns const runs = runs_of("races_now_and_then", 50);
    ThirdPartyRun failure;
    failure.seed = 1;
    auto const found = shrink_failure(runs, failure, 1s);
    ASSERT_TRUE(found.has_value());
    EXPECT_FALSE(found->has_value());
}

TEST_F(ShrunkFailures, LeaveNoFilesButThoseOfTheSmallest) {
    ShrunkFailure const found = shrunk(runs_of("leaves_a_tile_unmerged", 1'000), 5s);
    std::size_t folders = 0;
    for ([[maybe_unused]] auto const& entry : fs::directory_iterator(folder_.path())) {
        ++folders;
    }
    EXPECT_EQ(folders, 2U); // of the failure, and of the shrunk one
    EXPECT_TRUE(fs::exists(found.run.output));
}

TEST_F(ShrunkFailures, SameKeysAreRunAgainToSeeWhetherTheyAlwaysFail) {
    ThirdPartyRuns const sure = runs_of("leaves_a_tile_unmerged", 1'000);
    ThirdPartyRun failure;
    failure.seed = 1;
    auto const always = run_same_keys_again(sure, failure);
    ASSERT_TRUE(always.has_value());
    EXPECT_EQ(always->run_count, 10U);
    EXPECT_FALSE(always->is_intermittent());
    auto const sometimes = run_same_keys_again(runs_of("races_now_and_then", 200), failure);
    ASSERT_TRUE(sometimes.has_value());
    EXPECT_TRUE(sometimes->is_intermittent());
    EXPECT_EQ(sometimes->run_count, 20U);
}

} // namespace
} // namespace keyswap::conformance
