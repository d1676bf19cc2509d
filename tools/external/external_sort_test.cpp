#include "tools/external/external_sort.hpp"

#include "model/external/external_records.hpp"
#include "tools/external/external_case_test.hpp"
#include "tools/external/memory_sort.hpp"
#include "tools/external/save_clock.hpp"
#include "traces/errors/try.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

namespace keyswap::tools {

namespace {

/// Storage calls between consecutive planted failures. Only three failures under the thread
/// sanitizer: a few show races as well as many.
std::uint64_t step_between(std::uint64_t calls, std::uint64_t failures) {
#ifdef __SANITIZE_THREAD__
    failures = std::min<std::uint64_t>(failures, 3);
#endif
    return std::max<std::uint64_t>(calls / failures, 1);
}

/// Record source for the input of a case.
class InputInMemory final : public model::RecordSource {
  public:
    explicit InputInMemory(Case const& test) {
        for (ExternalInput const& input : test.job.inputs) {
            bytes_ += testing::text_of(input.identity.path)
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

/// Records that the model plans for a case.
std::vector<TraceRecord> planned_records(Case const& test) {
    auto const memory =
        model::divide_memory(test.job.layout, test.job.memory_bytes, test.job.gpu_records_max)
            .value();
    InputInMemory input(test);
    auto const planned =
        model::record_external_sort(test.job.layout,
                                    memory,
                                    {model::external_sample_seed, test.job.is_streamed()},
                                    test.job.record_count(),
                                    input,
                                    1'000)
            .value();
    std::vector<TraceRecord> records{model::external_sort_record(test.job.layout, memory)};
    records.insert(records.end(), planned.divisions.begin(), planned.divisions.end());
    records.insert(records.end(), planned.ranges.begin(), planned.ranges.end());
    return records;
}

/// Expects that a sort, interrupted or not, recorded exactly the planned records.
void expect_planned(std::vector<TraceRecord> const& planned, ExternalResult const& result) {
    for (TraceRecord const& record : planned) {
        EXPECT_EQ(std::ranges::count(result.records, record), 1);
    }
    EXPECT_EQ(result.records.size(), planned.size());
}

void expect_planned(Case const& test, ExternalResult const& result) {
    expect_planned(planned_records(test), result);
}

/// Interrupts a sort after so many bytes were moved.
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

/// Sorts on the CPU in place of GPUs that hold `room` records.
class EngineWithRoom final : public RangeEngine {
  public:
    explicit EngineWithRoom(std::uint64_t room) : room_(room) {}
    [[nodiscard]] std::uint64_t sorts() const { return sorts_; }
    void fail_after(std::uint64_t sorts) { fails_after_ = sorts; }

    [[nodiscard]] std::string name() const override { return "stand-in on 2 GPUs"; }
    void describe(RunHeader& header) const override { header.gpus = {0, 1}; }
    Expected<void> prepare(SortShape const& shape, std::uint64_t count_max) override {
        EXPECT_LE(count_max, room_);
        element_bytes_ = key_size_bytes(shape.key_type);
        return cores_->prepare(shape, count_max);
    }
    std::shared_ptr<void const> pin(std::span<std::byte> memory) override {
        pinned_.push_back(memory);
        return std::make_shared<int>(0);
    }
    Expected<void> sort(RangeArrays const& arrays) override {
        EXPECT_LE(arrays.keys.size(), room_ * element_bytes_);
        EXPECT_TRUE(is_pinned(arrays.keys));
        EXPECT_TRUE(arrays.values.empty() || is_pinned(arrays.values));
        if (++sorts_ > fails_after_) {
            return tl::unexpected(InputError{"GPUs", "are gone", "look after them"});
        }
        return cores_->sort(arrays);
    }
    Expected<void> sort_ranges(std::function<std::optional<RangeTask>()> const& next,
                               std::function<void()> const& finished) override {
        while (auto const task = next()) {
            KEYSWAP_RETURN_IF_ERROR(sort(task->arrays));
            if (task->result == RangeResult::in_scratch) {
                KEYSWAP_RETURN_IF_ERROR(copy_to_scratch(task->arrays, 1));
            }
            finished();
        }
        return {};
    }

  private:
    [[nodiscard]] bool is_pinned(std::span<std::byte const> bytes) const {
        return std::ranges::any_of(pinned_, [bytes](std::span<std::byte const> pinned) {
            return bytes.data() >= pinned.data() &&
                   bytes.data() + bytes.size() <= pinned.data() + pinned.size();
        });
    }

    std::shared_ptr<RangeEngine> cores_ = make_cpu_range_engine(2);
    std::vector<std::span<std::byte const>> pinned_;
    std::uint64_t room_;
    std::uint64_t element_bytes_ = 0;
    std::uint64_t sorts_ = 0;
    std::uint64_t fails_after_ = std::numeric_limits<std::uint64_t>::max();
};

/// Contents of all outputs that have their final names.
std::string outputs_of(Case const& test) {
    std::string all;
    for (fs::path const& output : test.job.outputs) {
        all += fs::exists(output) ? testing::text_of(output) : "";
    }
    return all;
}

} // namespace

TEST(ExternalSort, SortsKeysOfEveryDistribution) {
    for (char const* const distribution :
         {"uniform", "zero", "sorted", "reverse-sorted", "nearly-sorted", "zipf"}) {
        Case const test(u64_keys, keys_of(distribution, 150'000), MiB);
        auto const result = test.run();
        ASSERT_TRUE(result) << distribution << ": " << result.error().message();
        EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted) << distribution;
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
            EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted) << to_string(type);
        }
    }
}

TEST(ExternalSort, SortsNumbersWithWhateverFollowsOrPrecedesThem) {
    for (auto const& [bytes, key, type] :
         std::vector<std::tuple<std::uint64_t, std::string, KeyType>>{
             {16, "0:8", KeyType::u64},   // pairs
             {12, "0:8", KeyType::f64},   // with half-word values
             {8, "0:4", KeyType::i32},    // half-word keys and values
             {12, "0:4", KeyType::f32},   // half-word keys, word values
             {24, "0:16", KeyType::i128}, // two-word keys, word values
             {16, "8:8", KeyType::u64},   // the key is last
             {16, "0:4", KeyType::u32},   // packed with its index
             {31, "5:8", KeyType::f64}}) {
        for (Direction const direction : {Direction::ascending, Direction::descending}) {
            auto const layout = model::parse_record_layout(bytes, key, direction, type).value();
            auto records = records_of(layout, 60'000);
            std::copy_n(records.begin(), 4 * bytes, records.end() - 4 * static_cast<int>(bytes));
            Case const test(layout, records, MiB);
            ASSERT_TRUE(test.run()) << to_string(layout);
            EXPECT_TRUE(testing::text_of(test.job.outputs[0]) == test.sorted) << to_string(layout);
        }
    }
}

TEST(ExternalSort, SortsRangesThatFitTheGpus) {
    constexpr std::uint64_t room = 4'000;
    for (auto const& [bytes, key, type] :
         std::vector<std::tuple<std::uint64_t, std::string, std::optional<KeyType>>>{
             {8, "0:8", KeyType::u64},
             {16, "0:8", KeyType::u64},
             {100, "0:10", std::nullopt},
             {100, "3:16", std::nullopt}}) {
        auto const layout =
            model::parse_record_layout(bytes, key, Direction::ascending, type).value();
        Case test(layout, records_of(layout, 50'000), 8 * MiB);
        auto const engine = std::make_shared<EngineWithRoom>(room);
        test.job.engine = engine;
        test.job.gpu_records_max = room;
        auto const result = test.run();
        ASSERT_TRUE(result) << result.error().message();
        EXPECT_TRUE(testing::text_of(test.job.outputs[0]) == test.sorted) << to_string(layout);
        expect_planned(test, *result);
        EXPECT_EQ(engine->sorts(), result->range_count);
        EXPECT_GT(engine->sorts(), 50'000 / room);
    }
}

/// Number of files in the test's folder, including the input.
std::size_t file_count(Case const& test) {
    auto const files = fs::directory_iterator(test.folder.path());
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST(ExternalSort, HoldsRangesInMemoryAndRecordsTheSame) {
    auto const keys = model::layout_of_keys(KeyType::u64, Direction::ascending);
    auto const pairs =
        model::parse_record_layout(16, "0:8", Direction::descending, KeyType::u64).value();
    auto const narrow_pairs =
        model::parse_record_layout(8, "0:4", Direction::ascending, KeyType::f32).value();
    std::vector<std::pair<model::RecordLayout, std::vector<std::byte>>> const inputs{
        {keys, keys_of("uniform", 50'000)},
        {keys, keys_of("zipf", 50'000)},
        {keys, keys_of("zero", 50'000)},
        {pairs, keys_of("zipf", 80'000)},
        {pairs, records_of(pairs, 30'000)},
        {narrow_pairs, keys_of("zipf", 40'000)}};
    for (auto const& [layout, records] : inputs) {
        std::uint64_t const room = 4'000;
        Case files(layout, records, 8 * MiB);
        Case memory(layout, records, 8 * MiB, files.sorted);
        memory.job.range_storage = RangeStorage::memory;
        for (Case* const test : {&files, &memory}) {
            test->job.engine = std::make_shared<EngineWithRoom>(room);
            test->job.gpu_records_max = room;
            test->job.outputs = {test->folder.path() / "first", test->folder.path() / "second"};
        }
        ASSERT_TRUE(can_hold_ranges(memory.job));
        auto const expected = files.run();
        auto const result = memory.run();
        ASSERT_TRUE(expected && result) << to_string(layout);
        EXPECT_EQ(result->records, expected->records) << to_string(layout);
        EXPECT_EQ(result->digest, expected->digest);
        EXPECT_EQ(result->written_bytes, records.size());
        std::string sorted;
        for (fs::path const& output : memory.job.outputs) {
            sorted += testing::text_of(output);
        }
        EXPECT_TRUE(sorted == memory.sorted) << to_string(layout);
        EXPECT_EQ(file_count(memory), 3U);
    }
}

TEST(ExternalSort, LeavesNothingWhenASortInMemoryFails) {
    Case test(model::layout_of_keys(KeyType::u64, Direction::ascending),
              keys_of("uniform", 50'000),
              8 * MiB);
    auto const engine = std::make_shared<EngineWithRoom>(4'000);
    engine->fail_after(5);
    test.job.engine = engine;
    test.job.gpu_records_max = 4'000;
    test.job.range_storage = RangeStorage::memory;
    auto const failed = test.run();
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().message().find("are gone"), std::string::npos);
    EXPECT_EQ(file_count(test), 1U);
}

TEST(ExternalSort, HoldsInMemoryOnlyWhatFitsTwice) {
    Case test(model::layout_of_keys(KeyType::u64, Direction::ascending),
              keys_of("uniform", 100'000),
              MiB);
    test.job.gpu_records_max = 4'000;
    EXPECT_FALSE(can_hold_ranges(test.job));
    test.job.memory_bytes = 8 * MiB;
    EXPECT_TRUE(can_hold_ranges(test.job));
    test.job.layout = model::parse_record_layout(100, "0:10", Direction::ascending).value();
    test.job.inputs[0].record_count = 10;
    EXPECT_FALSE(can_hold_ranges(test.job)); // neither keys nor pairs
}

TEST(ExternalSort, GoesOnAfterGpusFailedWithTheSameOnes) {
    Case test(
        model::layout_of_keys(KeyType::u64, Direction::ascending), keys_of("uniform", 50'000), MiB);
    auto const engine = std::make_shared<EngineWithRoom>(4'000);
    engine->fail_after(5);
    test.job.engine = engine;
    test.job.gpu_records_max = 4'000;
    auto const failed = test.run();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().problem, "are gone");
    EXPECT_EQ(Manifest::gpu_records_max(test.job), 4'000U);

    ExternalJob const job = test.job;
    test.job.engine = make_cpu_range_engine(2);
    test.job.gpu_records_max.reset();
    auto const other = test.run();
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().problem.find("another engine"), std::string::npos)
        << other.error().message();
    test.job = job;
    test.job.gpu_records_max = 5'000;
    EXPECT_FALSE(test.run());

    test.job = job;
    engine->fail_after(1'000);
    auto const result = test.run();
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_TRUE(result->continued);
    EXPECT_TRUE(testing::text_of(test.job.outputs[0]) == test.sorted);
}

TEST(ExternalSort, RefusesGpusWithoutRoom) {
    Case test(
        model::layout_of_keys(KeyType::u64, Direction::ascending), keys_of("uniform", 5'000), MiB);
    test.job.gpu_records_max = 100;
    auto const result = test.run();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().subject, "the GPUs' memory");
    EXPECT_FALSE(fs::exists(test.job.scratch));
}

TEST(ExternalSort, SortsSeveralInputsAsOne) {
    Case test(u64_keys, keys_of("uniform", 300'000), MiB);
    std::string const all = testing::text_of(test.job.inputs.front().identity.path);
    test.job.inputs.clear();
    std::size_t first = 0;
    for (std::size_t const count : {100'000U, 0U, 1U, 199'999U}) { // key counts
        fs::path const path =
            test.folder.path() / ("input" + std::to_string(test.job.inputs.size()));
        std::size_t const offset = 8 * test.job.inputs.size(); // header bytes
        testing::put_text(path, std::string(offset, 'h') + all.substr(8 * first, 8 * count));
        test.job.inputs.push_back({identity_of(path).value(), offset, count, {}});
        first += count;
    }
    stop_after(test, 3'000'000);
    auto const result = test.run();
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_TRUE(result->continued);
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
}

TEST(ExternalSort, WritesWhereItBelongsBehindAHeader) {
    // Offsets are not page-aligned, and buffers are large enough for direct access.
    Case test(u64_keys, keys_of("uniform", 1'000'000), 16 * MiB);
    std::string const header(120, 'h');
    test.job.header = [&](std::uint64_t /*count*/) { return header; };
    auto const result = test.run();
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_GT(result->range_count, 1U);
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), header + test.sorted);
}

TEST(ExternalSort, ReadsRecordsThatBeginAnywhere) {
    auto const layout = model::parse_record_layout(100, "4:10", Direction::ascending).value();
    Case test(layout, records_of(layout, 120'000), 8 * MiB);
    ExternalInput& input = test.job.inputs.front();
    std::string const all = testing::text_of(input.identity.path);
    testing::put_text(input.identity.path, std::string(77, 'h') + all);
    input.identity = identity_of(input.identity.path).value();
    input.offset = 77;
    auto const result = test.run();
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_GT(result->range_count, 1U);
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
}

TEST(ExternalSort, ReadsAndWritesTwice) {
    Case const test(u64_keys, keys_of("uniform", 1'000'000), MiB);
    auto const result = test.run();
    ASSERT_TRUE(result);
    EXPECT_GT(result->range_count, 20U);
    EXPECT_EQ(result->oversized_records, 0U);
    EXPECT_EQ(result->written_bytes, 16'000'000U);
    EXPECT_LT(result->read_bytes, 16'500'000U); // plus the sample
}

TEST(ExternalSort, ReadsAndWritesOnceWhatFits) {
    Case const test(u64_keys, keys_of("uniform", 10'000), MiB);
    auto const result = test.run();
    ASSERT_TRUE(result);
    EXPECT_EQ(result->range_count, 1U);
    EXPECT_EQ(result->written_bytes, 80'000U);
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
}

TEST(ExternalSort, DividesAgainWhatDoesNotFit) {
    Case const test(u64_keys, keys_of("uniform", 1'300'000), MiB);
    auto const result = test.run();
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_GT(result->oversized_records, 0U);
    expect_planned(test, *result);
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
}

TEST(ExternalSort, KeepsEqualRecordsInOrder) {
    for (char const* const key : {"0:1", "3:2", "0:10", "84:16"}) {
        for (Direction const direction : {Direction::ascending, Direction::descending}) {
            auto const layout = model::parse_record_layout(100, key, direction).value();
            Case const test(layout, records_of(layout, 30'000), MiB);
            auto const result = test.run();
            ASSERT_TRUE(result) << key << ": " << result.error().message();
            expect_planned(test, *result);
            EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted) << key;
        }
    }
}

/// Covers rounds of several parts, and runs written in whole pages.
TEST(ExternalSort, KeepsEqualRecordsInOrderOnAnyNumberOfThreads) {
    auto const layout = model::parse_record_layout(100, "50:1", Direction::ascending).value();
    Case test(layout, records_of(layout, 100'000), 16 * MiB);
    for (unsigned const threads : {1U, 2U, 7U}) {
        test.job.threads = threads;
        auto const result = test.run();
        ASSERT_TRUE(result) << result.error().message();
        EXPECT_GT(result->range_count, 3U);
        EXPECT_TRUE(testing::text_of(test.job.outputs[0]) == test.sorted) << threads;
        fs::remove(test.job.outputs[0]);
    }
}

TEST(ExternalSort, WritesThroughMappingsOfFilesInMemory) {
    class MappedStorage final : public Storage {
      public:
        std::atomic<std::uint64_t> mapped_bytes{0};
        bool is_in_memory(int /*descriptor*/) override { return true; }
        ssize_t
        copy_at(int descriptor, std::span<std::byte const> bytes, std::uint64_t offset) override {
            ssize_t const count = Storage::copy_at(descriptor, bytes, offset);
            mapped_bytes += count > 0 ? static_cast<std::uint64_t>(count) : 0;
            return count;
        }
        int sync(int /*descriptor*/) override { return 0; }
    };
    Case test(u64_keys, keys_of("uniform", 600'000), 16 * MiB);
    test.job.header = [](std::uint64_t /*count*/) { return std::string(120, 'h'); };
    MappedStorage storage;
    auto const result = test.run(storage);
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_GT(storage.mapped_bytes, 4'000'000U);
    EXPECT_TRUE(testing::text_of(test.job.outputs[0]) == std::string(120, 'h') + test.sorted);
}

TEST(ExternalSort, SortsNothing) {
    Case const test(u64_keys, {}, MiB);
    auto const result = test.run();
    ASSERT_TRUE(result);
    expect_planned(test, *result);
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), "");
}

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

TEST(ExternalSort, SortsStreams) {
    auto const layout = model::parse_record_layout(100, "7:9", Direction::descending).value();
    auto const records = records_of(layout, 30'000);
    auto const keys = keys_of("zipf", 300'000);
    for (std::uint64_t const memory_bytes : {MiB, 64 * MiB}) { // by ranges, and as a single range
        Case test(u64_keys, keys, memory_bytes);
        read_as_stream(test, keys);
        auto const result = test.run();
        ASSERT_TRUE(result) << result.error().message();
        EXPECT_EQ(result->record_count, 300'000U);
        EXPECT_EQ(result->written_bytes, (memory_bytes == MiB ? 2U : 1U) * keys.size());
        EXPECT_LE(result->buffer_bytes, memory_bytes);
        EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
        Case wide(layout, records, memory_bytes);
        read_as_stream(wide, records);
        ASSERT_TRUE(wide.run());
        EXPECT_EQ(testing::text_of(wide.job.outputs[0]), wide.sorted);
    }
}

TEST(ExternalSort, DrawsFromStreamsAsPlanned) {
    auto const keys = keys_of("uniform", 300'000);
    Case test(u64_keys, keys, MiB);
    read_as_stream(test, keys);
    auto const result = test.run();
    ASSERT_TRUE(result) << result.error().message();
    test.job.inputs.front().record_count = 300'000;
    expect_planned(test, *result);
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

TEST(ExternalSort, WritesPartsEachCompleteOnceItHasItsName) {
    auto const keys = keys_of("uniform", 300'000);
    std::string const sorted = Case(u64_keys, keys, MiB).sorted;
    auto const make = [&](std::size_t parts) {
        auto test = std::make_unique<Case>(u64_keys, keys, MiB, sorted);
        test->job.outputs.clear();
        for (std::size_t i = 0; i < parts; ++i) {
            test->job.outputs.push_back(test->folder.path() / ("part" + std::to_string(i)));
        }
        return test;
    };
    FaultyStorage counting(FaultyStorage::Fault::dead, ~std::uint64_t{0});
    {
        auto const test = make(7);
        test->job.header = [](std::uint64_t count) { return std::to_string(count) + "\n"; };
        ASSERT_TRUE(test->run(counting));
        EXPECT_EQ(testing::text_of(test->job.outputs[0]).substr(0, 6), "42858\n");
        EXPECT_TRUE(testing::text_of(test->job.outputs[1]) ==
                    "42857\n" + test->sorted.substr(8 * 42'858, 8 * 42'857));
    }
    std::uint64_t const step = step_between(counting.calls(), 12);
    for (std::uint64_t at = step; at < counting.calls(); at += step) {
        auto const test = make(7);
        FaultyStorage dying(FaultyStorage::Fault::dead, at);
        bool const done = test->run(dying).has_value();
        std::string const so_far = outputs_of(*test);
        EXPECT_TRUE(so_far == test->sorted.substr(0, so_far.size())) << "call " << at;
        if (!done) {
            auto const result = test->run();
            ASSERT_TRUE(result) << "call " << at << ": " << result.error().message();
        }
        ASSERT_TRUE(outputs_of(*test) == test->sorted) << "call " << at;
    }
    Case few(u64_keys, keys_of("uniform", 2), MiB); // leaves one part empty
    few.job.outputs = make(3)->job.outputs;
    for (fs::path& output : few.job.outputs) {
        output = few.folder.path() / output.filename();
    }
    ASSERT_TRUE(few.run());
    EXPECT_EQ(outputs_of(few), few.sorted);
    EXPECT_EQ(testing::text_of(few.job.outputs[2]), "");
}

TEST(ExternalSort, NamesNoPartBeforeItIsComplete) {
    class LookingStorage final : public Storage {
      public:
        std::vector<std::string> named; ///< contents when renamed, in order
        int sync(int /*descriptor*/) override { return 0; }
        int rename(fs::path const& from, fs::path const& to, Existing existing) override {
            if (to.filename().string().starts_with("part")) {
                named.push_back(testing::text_of(from));
            }
            return Storage::rename(from, to, existing);
        }
    };
    Case test(u64_keys, keys_of("uniform", 300'000), MiB);
    test.job.outputs.clear();
    for (int i = 0; i < 30; ++i) {
        test.job.outputs.push_back(test.folder.path() / ("part" + std::to_string(i)));
    }
    LookingStorage storage;
    ASSERT_TRUE(test.run(storage));
    ASSERT_EQ(storage.named.size(), 30U);
    for (std::size_t i = 0; i < 30; ++i) {
        EXPECT_TRUE(storage.named[i] == test.sorted.substr(i * 80'000, 80'000)) << i;
    }
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

TEST(ExternalSort, KeepsSortsOfOneOutputApart) {
    auto const keys = keys_of("uniform", 300'000);
    Case first(u64_keys, keys, MiB);
    first.job.existing = Existing::replace;
    Case second(u64_keys, keys_of("zipf", 300'000), MiB);
    second.job.existing = Existing::replace;
    second.job.outputs = first.job.outputs;
    stop_after(first, 7'500'000); // both have placed ranges
    stop_after(second, 7'500'000);
    EXPECT_NE(first.job.partial(0), second.job.partial(0));
    ASSERT_TRUE(first.run());
    EXPECT_EQ(testing::text_of(first.job.outputs[0]), first.sorted);
    ASSERT_TRUE(second.run());
    EXPECT_EQ(testing::text_of(first.job.outputs[0]), second.sorted);
}

TEST(ExternalSort, KeepsFilesOfOthers) {
    Case const test(u64_keys, keys_of("uniform", 100'000), MiB);
    fs::path const precious = test.folder.path() / "precious";
    testing::put_text(precious, "precious");
    fs::create_symlink(precious, test.job.partial(0));
    ASSERT_TRUE(test.run());
    EXPECT_EQ(testing::text_of(precious), "precious");
    fs::remove(test.job.outputs[0]);

    fs::create_directory(test.job.scratch);
    testing::put_text(test.job.run(1), "mine");
    auto const result = test.run();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().problem, "holds 1.run, and no interrupted sort");
    EXPECT_EQ(testing::text_of(test.job.run(1)), "mine");
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
    EXPECT_EQ(testing::text_of(test.job.outputs[0]), test.sorted);
}

} // namespace keyswap::tools
