#include "tools/external/external_sort.hpp"

#include "model/external/external_records.hpp"
#include "model/external/record_summary.hpp"
#include "model/keys/key_generator.hpp"
#include "tools/external/save_clock.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <numeric>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace keyswap::tools {

namespace {

namespace fs = std::filesystem;

void write(fs::path const& path, std::span<std::byte const> bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<char const*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

/// Fails from a call on, as if the process had been killed there; or once, in one way.
class FaultyStorage final : public Storage {
  public:
    enum class Fault { none, dead, full_disk, short_read, interrupted, unsynced };

    FaultyStorage(Fault fault, std::uint64_t at) : fault_(fault), at_(at) {}
    [[nodiscard]] std::uint64_t calls() const { return calls_; }

    int open(fs::path const& path, int flags) override {
        return changes_fail(fault_ == Fault::dead && (flags & O_ACCMODE) != O_RDONLY)
                   ? -1
                   : Storage::open(path, flags);
    }
    ssize_t read_at(int descriptor, std::span<std::byte> bytes, std::uint64_t offset) override {
        if (fault_ == Fault::short_read) {
            return Storage::read_at(descriptor, bytes.first((bytes.size() + 1) / 2), offset);
        }
        if (fault_ == Fault::interrupted && ++calls_ % 2 == 0) {
            errno = EINTR;
            return -1;
        }
        return Storage::read_at(descriptor, bytes, offset);
    }
    ssize_t
    write_at(int descriptor, std::span<std::byte const> bytes, std::uint64_t offset) override {
        bool const was_due = calls_ >= at_;
        if (changes_fail(fault_ == Fault::dead || fault_ == Fault::full_disk)) {
            if (!was_due) { // a part is written all the same
                static_cast<void>(
                    Storage::write_at(descriptor, bytes.first(bytes.size() / 2), offset));
            }
            errno = fault_ == Fault::dead ? EIO : ENOSPC;
            return -1;
        }
        return Storage::write_at(descriptor, bytes, offset);
    }
    int sync(int /*descriptor*/) override {
        return changes_fail(fault_ == Fault::dead || fault_ == Fault::unsynced) ? -1 : 0;
    }
    int resize(int descriptor, std::uint64_t size_bytes) override {
        return changes_fail() ? -1 : Storage::resize(descriptor, size_bytes);
    }
    int remove(fs::path const& path) override {
        return changes_fail() ? -1 : Storage::remove(path);
    }
    int rename(fs::path const& from, fs::path const& to, Existing existing) override {
        return changes_fail() ? EIO : Storage::rename(from, to, existing);
    }

  private:
    /// Counts a call that changes something. \param concerned whether the fault is about it
    bool changes_fail(bool concerned) {
        bool const fails = concerned && ++calls_ >= at_;
        errno = fails ? EIO : errno;
        return fails;
    }
    bool changes_fail() { return changes_fail(fault_ == Fault::dead); }

    Fault fault_;
    std::uint64_t at_;
    std::atomic<std::uint64_t> calls_{0};
};

struct Case {
    testing::TemporaryFolder folder;
    ExternalJob job;
    std::string sorted; ///< what the output has to be

    explicit Case(model::RecordLayout const& layout,
                  std::vector<std::byte> const& records,
                  std::uint64_t memory_bytes) {
        job.layout = layout;
        job.program = "test";
        fs::path const input = folder.path() / "input";
        write(input, records);
        job.record_count = records.size() / layout.record_bytes;
        job.inputs = {{identity_of(input).value(), input, 0, job.record_count}};
        job.memory_bytes = memory_bytes;
        job.output = folder.path() / "output";
        job.scratch = folder.path() / "scratch";
        job.threads = 2;
        sorted = reference(records);
    }

    [[nodiscard]] std::string reference(std::vector<std::byte> const& records) const {
        std::size_t const size = job.layout.record_bytes;
        std::vector<std::size_t> order(records.size() / size);
        std::iota(order.begin(), order.end(), std::size_t{0});
        return model::with_image_reader(job.layout, [&](auto const& read) {
            std::ranges::stable_sort(
                order, {}, [&](std::size_t i) { return read(records.data() + i * size); });
            std::string result;
            for (std::size_t const i : order) {
                result.append(reinterpret_cast<char const*>(records.data()) + i * size, size);
            }
            return result;
        });
    }

    Expected<ExternalResult> run(Storage& storage) const { return sort_external(job, {}, storage); }
    Expected<ExternalResult> run() const {
        FaultyStorage storage(FaultyStorage::Fault::none, 0); // which does not wait for the disk
        return run(storage);
    }
};

/// All records of a case, in one span.
class InputInMemory final : public model::RecordSource {
  public:
    explicit InputInMemory(Case const& test) {
        for (ExternalInput const& input : test.job.inputs) {
            bytes_ += testing::text_of(input.path)
                          .substr(input.offset, input.record_count * test.job.layout.record_bytes);
        }
    }
    Expected<void> sweep(Take const& take) override {
        take(std::as_bytes(std::span(bytes_)));
        return {};
    }

  private:
    std::string bytes_;
};

/// What the sort recorded, whatever interrupted it, is what the model plans for the records.
void expect_planned(Case const& test, ExternalResult const& result) {
    auto const memory = model::divide_memory(test.job.layout, test.job.memory_bytes).value();
    InputInMemory input(test);
    auto const planned = model::record_external_sort(test.job.layout,
                                                     memory,
                                                     model::external_sample_seed,
                                                     test.job.record_count,
                                                     input,
                                                     1'000)
                             .value();
    std::vector<TraceRecord> expected{model::external_sort_record(test.job.layout, memory)};
    expected.insert(expected.end(), planned.divisions.begin(), planned.divisions.end());
    expected.insert(expected.end(), planned.ranges.begin(), planned.ranges.end());
    for (TraceRecord const& record : expected) {
        EXPECT_EQ(std::ranges::count(result.records, record), 1);
    }
    EXPECT_EQ(result.records.size(), expected.size());
}

/// Interrupts a sort once so much was read and written.
void stop_after(Case const& test, std::uint64_t bytes_max) {
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> moved{0};
    FaultyStorage storage(FaultyStorage::Fault::none, 0);
    auto const result =
        sort_external(test.job,
                      {[&](std::uint64_t bytes) { stop = (moved += bytes) > bytes_max; },
                       [&] { return stop.load(); }},
                      storage);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().problem, "was interrupted");
}

constexpr std::uint64_t MiB = std::uint64_t{1} << 20;

std::vector<std::byte> keys_of(std::string const& distribution, std::uint64_t count) {
    model::KeyRequest request;
    request.distribution = distribution;
    request.key_type = KeyType::u64;
    request.key_count = count;
    auto const generator = model::KeyGenerator::make(request).value();
    std::vector<std::uint64_t> keys(count);
    generator.images(0, std::span(keys));
    auto const bytes = std::as_bytes(std::span(keys));
    return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> records_of(model::RecordLayout const& layout, std::uint64_t count) {
    std::vector<std::byte> records(count * layout.record_bytes);
    model::make_records(layout, 7, 0, records);
    return records;
}

model::RecordLayout const u64_keys = model::layout_of_keys(KeyType::u64, Direction::ascending);

} // namespace

TEST(ExternalSort, SortsKeysOfEveryDistribution) {
    for (char const* const distribution :
         {"uniform", "zero", "sorted", "reverse-sorted", "nearly-sorted", "zipf"}) {
        Case const test(u64_keys, keys_of(distribution, 150'000), MiB);
        auto const result = test.run();
        ASSERT_TRUE(result) << distribution << ": " << result.error().message();
        EXPECT_EQ(testing::text_of(test.job.output), test.sorted) << distribution;
        EXPECT_LE(result->buffer_bytes, test.job.memory_bytes) << distribution;
        EXPECT_FALSE(fs::exists(test.job.scratch)) << distribution;
    }
}

TEST(ExternalSort, SortsKeysOfEveryTypeBothWays) {
    auto const bytes = keys_of("uniform", 70'000);
    for (KeyType const type : {KeyType::u32,
                               KeyType::i32,
                               KeyType::f32,
                               KeyType::u64,
                               KeyType::i64,
                               KeyType::f64,
                               KeyType::u128,
                               KeyType::i128}) {
        for (Direction const direction : {Direction::ascending, Direction::descending}) {
            Case const test(model::layout_of_keys(type, direction), bytes, MiB);
            auto const result = test.run();
            ASSERT_TRUE(result) << to_string(type) << ": " << result.error().message();
            EXPECT_EQ(testing::text_of(test.job.output), test.sorted) << to_string(type);
        }
    }
}

TEST(ExternalSort, SortsSeveralInputsAsOne) {
    Case test(u64_keys, keys_of("uniform", 300'000), MiB);
    std::string const all = testing::text_of(test.job.inputs.front().path);
    test.job.inputs.clear();
    std::size_t first = 0;
    for (std::size_t const count : {100'000U, 0U, 1U, 199'999U}) { // keys
        fs::path const path =
            test.folder.path() / ("input" + std::to_string(test.job.inputs.size()));
        std::size_t const offset = 8 * test.job.inputs.size(); // as behind headers
        testing::put_text(path, std::string(offset, 'h') + all.substr(8 * first, 8 * count));
        test.job.inputs.push_back({identity_of(path).value(), path, offset, count});
        first += count;
    }
    stop_after(test, 3'000'000);
    auto const result = test.run();
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_TRUE(result->continued);
    EXPECT_EQ(testing::text_of(test.job.output), test.sorted);
}

TEST(ExternalSort, WritesWhereItBelongsBehindAHeader) {
    // Neither side's bytes begin at a page, and buffers are large enough to pass by the page cache.
    Case test(u64_keys, keys_of("uniform", 1'000'000), 16 * MiB);
    test.job.output_header = std::string(120, 'h');
    auto const result = test.run();
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_GT(result->range_count, 1U);
    EXPECT_EQ(testing::text_of(test.job.output), test.job.output_header + test.sorted);
}

TEST(ExternalSort, ReadsRecordsThatBeginAnywhere) {
    auto const layout = model::parse_record_layout(100, "4:10", Direction::ascending).value();
    Case test(layout, records_of(layout, 120'000), 8 * MiB);
    ExternalInput& input = test.job.inputs.front();
    std::string const all = testing::text_of(input.path);
    testing::put_text(input.path, std::string(77, 'h') + all);
    input.identity = identity_of(input.path).value();
    input.offset = 77;
    auto const result = test.run();
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_GT(result->range_count, 1U);
    EXPECT_EQ(testing::text_of(test.job.output), test.sorted);
}

TEST(ExternalSort, ReadsAndWritesTwice) {
    Case const test(u64_keys, keys_of("uniform", 1'000'000), MiB);
    auto const result = test.run();
    ASSERT_TRUE(result);
    EXPECT_GT(result->range_count, 20U);
    EXPECT_EQ(result->oversized_records, 0U);
    EXPECT_EQ(result->written_bytes, 16'000'000U);
    EXPECT_LT(result->read_bytes, 16'500'000U); // and the sample
}

TEST(ExternalSort, ReadsAndWritesOnceWhatFits) {
    Case const test(u64_keys, keys_of("uniform", 10'000), MiB);
    auto const result = test.run();
    ASSERT_TRUE(result);
    EXPECT_EQ(result->range_count, 1U);
    EXPECT_EQ(result->written_bytes, 80'000U);
    EXPECT_EQ(testing::text_of(test.job.output), test.sorted);
}

TEST(ExternalSort, DividesAgainWhatDoesNotFit) {
    Case const test(u64_keys, keys_of("uniform", 1'300'000), MiB);
    auto const result = test.run();
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_GT(result->oversized_records, 0U);
    expect_planned(test, *result);
    EXPECT_EQ(testing::text_of(test.job.output), test.sorted);
}

TEST(ExternalSort, KeepsEqualRecordsInOrder) {
    for (char const* const key : {"0:1", "3:2", "0:10", "84:16"}) {
        for (Direction const direction : {Direction::ascending, Direction::descending}) {
            auto const layout = model::parse_record_layout(100, key, direction).value();
            Case const test(layout, records_of(layout, 30'000), MiB);
            auto const result = test.run();
            ASSERT_TRUE(result) << key << ": " << result.error().message();
            expect_planned(test, *result);
            EXPECT_EQ(testing::text_of(test.job.output), test.sorted) << key;
        }
    }
}

TEST(ExternalSort, SortsNothing) {
    Case const test(u64_keys, {}, MiB);
    auto const result = test.run();
    ASSERT_TRUE(result);
    expect_planned(test, *result);
    EXPECT_EQ(testing::text_of(test.job.output), "");
}

TEST(ExternalSort, GoesOnAfterBeingKilledAtAnyCall) {
    auto const keys = keys_of("zipf", 120'000);
    FaultyStorage counting(FaultyStorage::Fault::dead, ~std::uint64_t{0});
    {
        Case const test(u64_keys, keys, MiB);
        ASSERT_TRUE(test.run(counting));
    }
    std::uint64_t const step = std::max<std::uint64_t>(counting.calls() / 25, 1);
    for (std::uint64_t at = 1; at < counting.calls(); at += step) {
        Case const test(u64_keys, keys, MiB);
        FaultyStorage dying(FaultyStorage::Fault::dead, at);
        auto const killed = test.run(dying);
        EXPECT_TRUE(!killed || testing::text_of(test.job.output) == test.sorted) << "call " << at;
        if (!killed) {
            EXPECT_FALSE(fs::exists(test.job.output)) << "call " << at;
            auto const result = test.run();
            ASSERT_TRUE(result) << "call " << at << ": " << result.error().message();
            expect_planned(test, *result);
        }
        ASSERT_EQ(testing::text_of(test.job.output), test.sorted) << "call " << at;
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
    EXPECT_EQ(testing::text_of(test.job.output), test.sorted);
}

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
    if (!fs::exists(test.job.output)) {
        ASSERT_TRUE(test.run());
    }
    EXPECT_EQ(testing::text_of(test.job.output), test.sorted);
}

TEST(ExternalSort, ToleratesShortReadsAndInterruptedCalls) {
    for (auto const fault : {FaultyStorage::Fault::short_read, FaultyStorage::Fault::interrupted}) {
        Case const test(u64_keys, keys_of("uniform", 100'000), MiB);
        FaultyStorage storage(fault, 1);
        auto const result = test.run(storage);
        ASSERT_TRUE(result) << result.error().message();
        EXPECT_EQ(testing::text_of(test.job.output), test.sorted);
    }
}

TEST(ExternalSort, RefusesFailedSyncs) {
    Case const test(u64_keys, keys_of("uniform", 100'000), MiB);
    FaultyStorage storage(FaultyStorage::Fault::unsynced, 1);
    EXPECT_FALSE(test.run(storage));
    EXPECT_FALSE(fs::exists(test.job.output));
}

TEST(ExternalSort, GoesOnAfterProcessesWereKilledAtAnyMoment) {
    Case const test(u64_keys, keys_of("zipf", 500'000), MiB);
    std::uint64_t random = 1;
    int killed = 0;
    while (!fs::exists(test.job.output)) {
        ASSERT_LT(killed, 200);
        ::pid_t const child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            ::_exit(test.run() ? 0 : 1);
        }
        random = mix_bits(random);
        ::usleep(static_cast<useconds_t>(random % 150'000 * (1 + killed / 10)));
        bool const is_complete = fs::exists(test.job.output);
        if (is_complete) {
            EXPECT_EQ(testing::text_of(test.job.output), test.sorted);
        }
        ::kill(child, SIGKILL);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << "after " << killed;
        killed += WIFSIGNALED(status) ? 1 : 0;
    }
    EXPECT_GT(killed, 0);
    EXPECT_EQ(testing::text_of(test.job.output), test.sorted);
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
    EXPECT_FALSE(fs::exists(test.job.output));
    ASSERT_TRUE(test.run());
    EXPECT_EQ(testing::text_of(test.job.output), test.sorted);
}

TEST(ExternalSort, SaysThatItsInputWasShortened) {
    Case const test(u64_keys, keys_of("uniform", 200'000), MiB);
    fs::resize_file(test.job.inputs.front().path, 1'000'000);
    auto const result = test.run();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().subject, test.job.inputs.front().path.string());
    EXPECT_NE(result.error().problem.find("before it should"), std::string::npos);
    EXPECT_FALSE(fs::exists(test.job.output));
}

/// What is in the scratch or next to it goes, or changes, between an interruption and the next run.
TEST(ExternalSort, RefusesAScratchThatIsNotAsItWasLeft) {
    auto const keys = keys_of("uniform", 300'000);
    auto const refusal_after = [&](auto const& change) {
        Case const test(u64_keys, keys, MiB);
        stop_after(test, 6'500'000); // ranges are being placed
        fs::path run;
        for (auto const& entry : fs::directory_iterator(test.job.scratch)) {
            run = entry.path().extension() == ".run" ? entry.path() : run;
        }
        change(test.job, run);
        auto const result = test.run();
        EXPECT_FALSE(result);
        EXPECT_FALSE(fs::exists(test.job.output));
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
                  fs::resize_file(job.partial(), 8);
              }).find("has another size"),
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
        write(input.path, keys); // the same bytes, later
        input.identity = identity_of(input.path).value();
        auto const result = test.run();
        ASSERT_FALSE(result);
        EXPECT_NE(result.error().message().find("of the input"), std::string::npos);
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

TEST(ExternalSort, FindsDamagedRuns) {
    Case const test(u64_keys, keys_of("uniform", 1'000'000), MiB);
    stop_after(test, 20'000'000);
    fs::path damaged;
    for (auto const& entry : fs::directory_iterator(test.job.scratch)) {
        damaged = entry.path().extension() == ".run" ? entry.path() : damaged;
    }
    std::string text = testing::text_of(damaged);
    text[8] ^= 1; // the lowest bit of a key: all sizes and most orders are as before
    testing::put_text(damaged, text);
    auto const result = test.run();
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().problem.find("does not hold"), std::string::npos);
    EXPECT_FALSE(fs::exists(test.job.output));
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
    EXPECT_FALSE(fs::exists(test.job.partial()));
}

TEST(SaveClock, WaitsNineTimesAsLongAsTheLastSaveTook) {
    SaveClock clock;
    EXPECT_TRUE(clock.is_due());
    auto const took = std::chrono::milliseconds(100);
    EXPECT_EQ(clock.measure([&] {
        std::this_thread::sleep_for(took);
        return 7;
    }),
              7);
    EXPECT_FALSE(clock.is_due());
    std::this_thread::sleep_for(12 * took);
    EXPECT_TRUE(clock.is_due());
}

TEST(ExternalSort, StopsWhenAskedAndGoesOn) {
    Case const test(u64_keys, keys_of("uniform", 1'000'000), MiB);
    stop_after(test, 10'000'000);
    ASSERT_TRUE(test.run());
    EXPECT_EQ(testing::text_of(test.job.output), test.sorted);
}

} // namespace keyswap::tools
