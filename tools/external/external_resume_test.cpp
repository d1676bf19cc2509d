// An interrupted sort continues where it was, or says why it cannot.

#include "tools/external/external_case_test.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace keyswap::tools {

TEST(ExternalSort, GoesOnAfterBeingKilledAtAnyCall) {
    auto const keys = keys_of("zipf", 120'000);
    FaultyStorage counting(FaultyStorage::Fault::dead, ~std::uint64_t{0});
    Case const whole(u64_keys, keys, MiB);
    auto const planned = planned_records(whole);
    ASSERT_TRUE(whole.run(counting));
    std::uint64_t const step = step_between(counting.calls(), 25);
    for (std::uint64_t at = 1; at < counting.calls(); at += step) {
        Case const test(u64_keys, keys, MiB, whole.sorted);
        FaultyStorage dying(FaultyStorage::Fault::dead, at);
        auto const killed = test.run(dying);
        EXPECT_TRUE(!killed || testing::text_of(test.job.outputs[0]) == test.sorted)
            << "call " << at;
        if (!killed) {
            EXPECT_TRUE(outputs_of(test).empty() || outputs_of(test) == test.sorted)
                << "call " << at; // the rename may precede the failure
            auto const result = test.run();
            ASSERT_TRUE(result) << "call " << at << ": " << result.error().message();
            expect_planned(planned, *result);
        }
        ASSERT_TRUE(testing::text_of(test.job.outputs[0]) == test.sorted) << "call " << at;
    }
}

TEST(ExternalSort, GoesOnFromTheMiddleOfAPartition) {
    Case const test(u64_keys, keys_of("uniform", 1'000'000), MiB);
    FaultyStorage storage(FaultyStorage::Fault::dead, 2'500);
    ASSERT_FALSE(test.run(storage));
    auto const manifest = Manifest::load(test.job);
    ASSERT_TRUE(manifest && *manifest && (*manifest)->split) << "choose another call";
    EXPECT_GT((*manifest)->split->consumed, 0U);
    auto const result = test.run();
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_TRUE(result->continued);
    EXPECT_LT(result->written_bytes, 15'000'000U);
    expect_planned(test, *result);
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
}

/// Runs end within a page at a saved manifest, and continue there.
TEST(ExternalSort, GoesOnFromTheMiddleOfPagesOfRuns) {
    /// Fails once a manifest has a division in progress.
    class DyingStorage final : public Storage {
      public:
        std::atomic<bool> is_dead{false};
        int sync(int /*descriptor*/) override { return is_dead ? -1 : 0; }
        ssize_t
        write_at(int descriptor, std::span<std::byte const> bytes, std::uint64_t offset) override {
            errno = EIO;
            return is_dead ? -1 : Storage::write_at(descriptor, bytes, offset);
        }
        int rename(fs::path const& from, fs::path const& to, Existing existing) override {
            std::string const text = testing::text_of(from);
            is_dead = is_dead || (text.find("\"consumed\":") != std::string::npos &&
                                  text.find("\"consumed\":0") == std::string::npos);
            return Storage::rename(from, to, existing);
        }
    };
    Case test(u64_keys, keys_of("uniform", 3'300'000), 12 * MiB);
    DyingStorage storage;
    ASSERT_FALSE(test.run(storage));
    auto const manifest = Manifest::load(test.job);
    ASSERT_TRUE(manifest && *manifest && (*manifest)->split);
    EXPECT_LT((*manifest)->split->consumed, 3'300'000U);
    test.job.threads = 3; // a different number
    auto const result = test.run();
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_TRUE(result->continued);
    EXPECT_LT(result->written_bytes, 2U * 8U * 3'300'000U);
    expect_planned(test, *result);
    EXPECT_TRUE(testing::text_of(test.job.outputs[0]) == test.sorted);
}

TEST(ExternalSort, GoesOnAfterProcessesWereKilledAtAnyMoment) {
    Case const test(u64_keys, keys_of("zipf", 500'000), MiB);
    std::uint64_t random = 1;
    int killed = 0;
    while (!fs::exists(test.job.outputs[0])) {
        ASSERT_LT(killed, 200);
        ::pid_t const child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            ::_exit(test.run() ? 0 : 1);
        }
        random = mix_bits(random);
        ::usleep(static_cast<useconds_t>(random % 150'000 * (1 + killed / 10)));
        bool const is_complete = fs::exists(test.job.outputs[0]);
        if (is_complete) {
            EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
        }
        ::kill(child, SIGKILL);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << "after " << killed;
        killed += WIFSIGNALED(status) ? 1 : 0;
    }
    EXPECT_GT(killed, 0);
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
}

TEST(ExternalSort, GoesOnWithStreamsAndFilesAfterAnyCall) {
    auto const keys = keys_of("zipf", 150'000);
    auto twice = keys;
    twice.insert(twice.end(), keys.begin(), keys.end());
    std::string const sorted = Case(u64_keys, twice, MiB).sorted;
    auto const make = [&] {
        auto test = std::make_unique<Case>(u64_keys, keys, MiB, sorted);
        std::string const bytes = testing::text_of(test->job.inputs.front().identity.path);
        read_as_stream(*test, keys);
        fs::path const more = test->folder.path() / "more";
        testing::put_text(more, bytes);
        test->job.inputs.push_back({identity_of(more).value(), 0, 150'000, {}});
        return test;
    };
    FaultyStorage counting(FaultyStorage::Fault::dead, ~std::uint64_t{0});
    ASSERT_TRUE(make()->run(counting));
    std::uint64_t const step = step_between(counting.calls(), 12);
    for (std::uint64_t at = 1; at < counting.calls(); at += step) {
        auto const test = make();
        FaultyStorage dying(FaultyStorage::Fault::dead, at);
        if (!test->run(dying)) {
            auto const result = test->run();
            ASSERT_TRUE(result) << "call " << at << ": " << result.error().message();
        }
        ASSERT_TRUE(testing::text_of(test->job.outputs[0]) == sorted) << "call " << at;
    }
}

TEST(ExternalSort, StopsWhenAskedAndGoesOn) {
    Case const test(u64_keys, keys_of("uniform", 1'000'000), MiB);
    stop_after(test, 10'000'000);
    ASSERT_TRUE(test.run());
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
}

TEST(ExternalSort, EndsWhatWasNamedAndNotCleanedUp) {
    class KeepingStorage final : public Storage {
      public:
        int sync(int /*descriptor*/) override { return 0; }
        int remove(fs::path const& path) override {
            bool const is_kept = path.extension() == ".run" || path.filename() == "manifest.json";
            return is_kept ? -1 : Storage::remove(path);
        }
    };
    Case const test(u64_keys, keys_of("uniform", 300'000), MiB);
    KeepingStorage storage; // keeps the state after each save, and after the rename
    ASSERT_TRUE(test.run(storage));
    EXPECT_TRUE(Manifest::has_completed(test.job, 0));
    auto const result = test.run();
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_TRUE(result->continued);
    EXPECT_EQ(result->written_bytes, 0U);
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
    EXPECT_FALSE(fs::exists(test.job.scratch));
}

/// The scratch folder or its surroundings change between an interruption and the next run.
TEST(ExternalSort, RefusesAScratchThatIsNotAsItWasLeft) {
    auto const keys = keys_of("uniform", 300'000);
    auto const refusal_after = [&](auto const& change) {
        Case const test(u64_keys, keys, MiB);
        stop_after(test, 6'500'000); // while ranges are placed
        fs::path run;
        for (auto const& entry : fs::directory_iterator(test.job.scratch)) {
            run = entry.path().extension() == ".run" ? entry.path() : run;
        }
        change(test.job, run);
        auto const result = test.run();
        EXPECT_FALSE(result);
        EXPECT_FALSE(fs::exists(test.job.outputs[0]));
        if (result) {
            return std::string();
        }
        EXPECT_NE(result.error().remedy.find("remove"), std::string::npos);
        return result.error().problem;
    };
    EXPECT_EQ(refusal_after([](auto const&, fs::path const& run) { fs::remove(run); }),
              "is missing");
    EXPECT_NE(refusal_after([](auto const&, fs::path const& run) {
                  fs::resize_file(run, fs::file_size(run) - 8);
              }).find("bytes instead of"),
              std::string::npos);
    EXPECT_NE(refusal_after([](ExternalJob const& job, fs::path const&) {
                  fs::resize_file(job.partial(0), 8);
              }).find("is missing, or is not the file"),
              std::string::npos);
    EXPECT_NE(refusal_after([](ExternalJob const& job, fs::path const&) {
                  std::string text = testing::text_of(job.manifest());
                  testing::put_text(job.manifest(), "{\"format\":99" + text.substr(11));
              }).find("another version"),
              std::string::npos);
}

TEST(ExternalSort, RefusesWhatDoesNotFitTheInterruptedSort) {
    auto const interrupted = [](Case const& test) {
        FaultyStorage storage(FaultyStorage::Fault::dead, 2'500);
        ASSERT_FALSE(test.run(storage));
    };
    auto const keys = keys_of("uniform", 1'000'000);
    {
        Case test(u64_keys, keys, MiB);
        interrupted(test);
        ExternalInput& input = test.job.inputs.front();
        write(input.identity.path, keys); // equal bytes, later time
        input.identity = identity_of(input.identity.path).value();
        auto const result = test.run();
        ASSERT_FALSE(result);
        EXPECT_NE(result.error().message().find("the input before that was written again"),
                  std::string::npos)
            << result.error().message();
    }
    {
        Case test(u64_keys, keys, MiB);
        interrupted(test);
        test.job.program = "another";
        auto const result = test.run();
        ASSERT_FALSE(result);
        EXPECT_NE(result.error().problem.find("version of keyswap"), std::string::npos);
    }
    {
        Case test(u64_keys, keys, MiB);
        interrupted(test);
        fs::resize_file(test.job.run(1), 8);
        auto const result = test.run();
        ASSERT_FALSE(result);
        EXPECT_NE(result.error().problem.find("shorter than"), std::string::npos);
    }
    {
        Case test(u64_keys, keys, MiB);
        interrupted(test);
        write(test.job.manifest(), std::as_bytes(std::span("{\"format\":1")));
        auto const result = test.run();
        ASSERT_FALSE(result);
        EXPECT_NE(result.error().problem.find("damaged"), std::string::npos);
    }
}

} // namespace keyswap::tools
