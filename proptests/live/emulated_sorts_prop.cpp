/// \file Live conformance without a GPU: RMG sort and sample sort on emulated kernels, in one
/// process, in place and by ranks. Uses the shrinker of live conformance.

#include "kernels/runtime/sort_driver.hpp"
#include "proptests/live/live_case.hpp"
#include "proptests/live/live_sort.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

namespace keyswap::proptests {
namespace {

LiveLimits limits() {
    LiveLimits few;
    few.key_count_max = 4'000;
    few.gpu_count_max = 8;
    few.device_count = 2;
    few.has_sort = kernels::runs_on_gpus;
    return few;
}

void expect_agreement(LiveCase const& live_case) {
    auto const problem = check_alone(live_case);
    if (!problem) {
        return;
    }
    LiveCase const small = shrink_case(live_case, check_alone, 300);
    RC_FAIL(check_alone(small).value_or(*problem) + "\n" + to_text(small));
}

TEST(EmulatedSorts, OfOneProcessAgreeWithTheModel) {
    EXPECT_TRUE(rc::check("a sort on stand-ins for the kernels", [] {
        LiveCase live_case = *any_live_case(limits());
        live_case.by_ranks = false;
        expect_agreement(live_case);
    }));
}

/// Same number of 128-bit keys as of others; their memory was once allocated at half its size.
TEST(EmulatedSorts, AreRefusedForMoreKeysThanTheyWereMadeFor) {
    EXPECT_TRUE(rc::check("a refused call leaves keys and values as they were", [] {
        LiveCase live_case = *any_live_case(limits());
        live_case.by_ranks = false;
        auto sorter = make_sorter(live_case, std::max<std::uint64_t>(1, live_case.images.size()));
        RC_ASSERT(sorter.has_value());
        if (auto const problem = check_refusal(*sorter)) {
            RC_FAIL(*problem + "\n" + to_text(live_case));
        }
    }));
}

TEST(EmulatedSorts, ByRanksAgreeWithTheModel) {
    LiveLimits rmg = limits();
    rmg.has_sort = [](AlgorithmInfo const& algorithm, KeyType type) {
        return algorithm.name == "rmg" && kernels::runs_on_gpus(algorithm, type);
    };
    LiveLimits sample_sort = limits();
    sample_sort.has_sort = [](AlgorithmInfo const& algorithm, KeyType type) {
        return algorithm.name == "sample-sort" && kernels::runs_on_gpus(algorithm, type);
    };
    std::set<std::string> sorts;
    for (LiveLimits const& drawn : {rmg, sample_sort}) {
        EXPECT_TRUE(rc::check("a sort by ranks on stand-ins for the kernels", [&] {
            LiveCase live_case = *any_live_case(drawn);
            live_case.by_ranks = true;
            live_case.on_devices = false;
            sorts.insert(live_case.algorithm + "-" + live_case.variant);
            expect_agreement(live_case);
        }));
    }
    EXPECT_EQ(sorts.size(), 5U);
}

} // namespace
} // namespace keyswap::proptests
