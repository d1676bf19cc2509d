// Failing storage, and files that were changed or damaged.

#include "tools/external/external_case_test.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace keyswap::tools {

TEST(ExternalSort, SaysThatTheDiskIsFullAndGoesOn) {
    Case const test(u64_keys, keys_of("uniform", 500'000), MiB);
    for (std::uint64_t const at : {300, 200, 200}) {
        FaultyStorage storage(FaultyStorage::Fault::full_disk, at);
        auto const result = test.run(storage);
        if (!result) {
            EXPECT_NE(result.error().problem.find("No space left"), std::string::npos);
            EXPECT_NE(result.error().remedy.find("continues"), std::string::npos);
        }
    }
    if (!fs::exists(test.job.outputs[0])) {
        ASSERT_TRUE(test.run());
    }
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
}

TEST(ExternalSort, ToleratesShortReadsAndInterruptedCalls) {
    for (auto const fault : {FaultyStorage::Fault::short_read, FaultyStorage::Fault::interrupted}) {
        Case const test(u64_keys, keys_of("uniform", 100'000), MiB);
        FaultyStorage storage(fault, 1);
        auto const result = test.run(storage);
        ASSERT_TRUE(result) << result.error().message();
        EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
    }
}

TEST(ExternalSort, RefusesFailedSyncs) {
    Case const test(u64_keys, keys_of("uniform", 100'000), MiB);
    FaultyStorage storage(FaultyStorage::Fault::unsynced, 1);
    EXPECT_FALSE(test.run(storage));
    EXPECT_FALSE(fs::exists(test.job.outputs[0]));
}

TEST(ExternalSort, SaysThatFilesMayNotBeSoLargeAndGoesOn) {
    Case const test(u64_keys, keys_of("uniform", 200'000), MiB);
    ::pid_t const child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
        ::rlimit const limit{100'000, 100'000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        auto const result = test.run();
        bool const is_said = !result &&
                             result.error().problem.find("File too large") != std::string::npos &&
                             result.error().remedy.find("ulimit -f") != std::string::npos;
        ::_exit(is_said ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_FALSE(fs::exists(test.job.outputs[0]));
    ASSERT_TRUE(test.run());
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
}

TEST(ExternalSort, SaysThatItsInputWasShortened) {
    Case const test(u64_keys, keys_of("uniform", 200'000), MiB);
    fs::resize_file(test.job.inputs.front().identity.path, 1'000'000);
    auto const result = test.run();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().subject, test.job.inputs.front().identity.path);
    EXPECT_NE(result.error().problem.find("ends before byte "), std::string::npos);
    EXPECT_FALSE(fs::exists(test.job.outputs[0]));
}

TEST(ExternalSort, FindsDamagedRuns) {
    Case const test(u64_keys, keys_of("uniform", 1'000'000), MiB);
    stop_after(test, 20'000'000);
    fs::path damaged;
    for (auto const& entry : fs::directory_iterator(test.job.scratch)) {
        damaged = entry.path().extension() == ".run" ? entry.path() : damaged;
    }
    std::string text = testing::text_of(damaged);
    text[8] ^= 1; // keeps all sizes, and usually the order
    testing::put_text(damaged, text);
    auto const result = test.run();
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().problem.find("does not hold"), std::string::npos);
    EXPECT_FALSE(fs::exists(test.job.outputs[0]));
}

TEST(ExternalSort, ChecksSpaceBeforeAnyWork) {
    class SmallStorage final : public Storage {
      public:
        std::optional<std::uint64_t> free_bytes(fs::path const& /*folder*/) override {
            return 1'000'000;
        }
    };
    Case const test(u64_keys, keys_of("uniform", 1'000'000), MiB);
    SmallStorage storage;
    auto const result = test.run(storage);
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().problem.find("1,000,000 bytes free"), std::string::npos);
    EXPECT_FALSE(fs::exists(test.job.partial(0)));
}

TEST(ExternalSort, LeavesNothingOfADamagedStream) {
    auto const keys = keys_of("uniform", 300'000);
    Case test(u64_keys, keys, MiB);
    read_as_stream(test, keys, true);
    auto const result = test.run();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().problem, "is cut off");
    EXPECT_FALSE(fs::exists(test.job.scratch));
    EXPECT_FALSE(fs::exists(test.job.partial(0)));
}

} // namespace keyswap::tools
