#include "model/ranks/thread_communicator.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace keyswap::model {
namespace {

TEST(ThreadRanks, GatherWhatEachHas) {
    ThreadRanks ranks(5, std::chrono::seconds(60));
    std::atomic<int> wrong{0};
    ranks.run([&](Communicator& end) {
        for (std::uint32_t round = 0; round < 200; ++round) {
            auto const all = all_gather(end, "round", end.rank() + 100 * round);
            for (std::uint32_t rank = 0; rank < 5; ++rank) {
                wrong += all[rank] != rank + 100 * round ? 1 : 0;
            }
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST(ThreadRanks, DoNotWaitForOneThatIsMissing) {
    ThreadRanks ranks(3, std::chrono::milliseconds(200));
    std::atomic<bool> released{false};
    std::atomic<int> failures{0};
    ranks.run([&](Communicator& end) {
        if (end.rank() == 1) {
            while (!released) {
                std::this_thread::yield();
            }
            return;
        }
        try {
            (void)all_gather(end, "step", end.rank());
        } catch (RankFailure const& failure) {
            failures +=
                failure.ranks() == std::vector{1U} &&
                        std::string(failure.what()) == "rank 1 did not answer within 200 ms (step)"
                    ? 1
                    : 0;
        }
        // The other rank may report the first failure instead of its own.
        released = true;
    });
    EXPECT_GE(failures, 1);
}

TEST(ThreadRanks, NameTheStepOfARankThatIsElsewhere) {
    ThreadRanks ranks(2, std::chrono::seconds(60));
    std::vector<std::string> failures(2);
    ranks.run([&](Communicator& end) {
        try {
            (void)all_gather(end, end.rank() == 0 ? "here" : "there", 1);
        } catch (RankFailure const& failure) {
            failures[end.rank()] = failure.what();
        }
    });
    EXPECT_TRUE(failures[0] == "rank 1 had reached 'there' instead (here)" ||
                failures[1] == "rank 0 had reached 'here' instead (there)")
        << failures[0] << '\n'
        << failures[1];
}

TEST(RankTexts, NameRanks) {
    EXPECT_EQ(ranks_text(std::vector{3U}), "rank 3");
    EXPECT_EQ(ranks_text(std::vector{1U, 2U}), "ranks 1 and 2");
    EXPECT_EQ(ranks_text(std::vector{1U, 2U, 5U}), "ranks 1, 2 and 5");
}

} // namespace
} // namespace keyswap::model
