// Sorts whose ranges fit GPUs, in files or in host memory.

#include "tools/external/external_case_test.hpp"
#include "tools/external/memory_sort.hpp"
#include "traces/errors/try.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace keyswap::tools {

namespace {

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
        layout_ = model::layout_of_keys(shape.key_type, shape.direction);
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
            return input_error("GPUs", "are gone", "look after them");
        }
        return cores_->sort(arrays);
    }
    Expected<void> sort_ranges(std::function<std::optional<RangeTask>()> const& next,
                               std::function<void()> const& finished) override {
        while (auto const task = next()) {
            KEYSWAP_RETURN_IF_ERROR(copy_pieces(*task, 1));
            RangeElements const& place = task->sorted;
            std::vector<std::byte> keys(place.keys.size());
            std::vector<std::byte> values(place.values.size());
            KEYSWAP_RETURN_IF_ERROR(sort({place.keys, place.values, keys, values}));
            finished();
        }
        return {};
    }
    /// In blocks of 1,500 elements, once distribute_blocks() was called.
    Expected<std::optional<kernels::BlockCounts>>
    distribute(RangeArrays const& arrays, std::span<KeyImage const> highest) override {
        if (!distributes_) {
            return std::nullopt;
        }
        ++distributions_;
        EXPECT_TRUE(is_pinned(arrays.keys) && is_pinned(arrays.key_scratch));
        RangeElements const from = elements_of(arrays, element_bytes_);
        RangeElements const to = scratch_of(arrays, element_bytes_);
        std::uint64_t const count = from.count;
        kernels::BlockCounts blocks{1'500, {}};
        model::with_image_reader(layout_, [&](auto const& read) {
            std::uint64_t place = 0;
            for (std::uint64_t begin = 0; begin < count; begin += blocks.block_size) {
                auto& counts = blocks.counts.emplace_back(highest.size());
                for (std::size_t range = 0; range < highest.size(); ++range) {
                    for (std::uint64_t i = begin; i < std::min(count, begin + 1'500); ++i) {
                        auto const element = from.part(i, 1);
                        KeyImage const image = model::key_image(read(element.keys.data()));
                        if (image <= highest[range] && (range == 0 || highest[range - 1] < image)) {
                            auto const copy = to.part(place++, 1);
                            std::ranges::copy(element.keys, copy.keys.begin());
                            std::ranges::copy(element.values, copy.values.begin());
                            ++counts[range];
                        }
                    }
                }
            }
        });
        return blocks;
    }
    void distribute_blocks() { distributes_ = true; }
    [[nodiscard]] int distributions() const { return distributions_; }

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
    model::RecordLayout layout_;
    bool distributes_ = false;
    int distributions_ = 0;
    std::uint64_t sorts_ = 0;
    std::uint64_t fails_after_ = std::numeric_limits<std::uint64_t>::max();
};

/// Number of files in the test's folder, including the input.
std::size_t file_count(Case const& test) {
    auto const files = fs::directory_iterator(test.folder.path());
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

} // namespace

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
        Case by_cores(layout, records, 8 * MiB, files.sorted);
        Case by_engine(layout, records, 8 * MiB, files.sorted);
        auto const distributing = std::make_shared<EngineWithRoom>(room);
        distributing->distribute_blocks();
        for (Case* const test : {&files, &by_cores, &by_engine}) {
            test->job.engine =
                test == &by_engine ? distributing : std::make_shared<EngineWithRoom>(room);
            test->job.gpu_records_max = room;
            test->job.outputs = {test->folder.path() / "first", test->folder.path() / "second"};
        }
        auto const expected = files.run();
        ASSERT_TRUE(expected) << to_string(layout);
        for (Case* const memory : {&by_cores, &by_engine}) {
            memory->job.range_storage = RangeStorage::memory;
            ASSERT_TRUE(can_hold_ranges(memory->job));
            auto const result = memory->run();
            ASSERT_TRUE(result) << result.error().message();
            EXPECT_EQ(result->records, expected->records) << to_string(layout);
            EXPECT_EQ(result->digest, expected->digest);
            EXPECT_EQ(result->written_bytes, records.size());
            std::string sorted;
            for (fs::path const& output : memory->job.outputs) {
                sorted += testing::text_of(output);
            }
            EXPECT_TRUE(sorted == memory->sorted) << to_string(layout);
            EXPECT_EQ(file_count(*memory), 3U);
        }
        EXPECT_EQ(distributing->distributions(), 1) << to_string(layout);
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

} // namespace keyswap::tools
