/// \file External sorts that use the real GPU range engine, on emulated GPUs.

#include "tools/backends/gpu_range_engine.hpp"

#include "kernels/range_sorter.hpp"
#include "model/external/record_summary.hpp"
#include "model/verify/verify_trace.hpp"
#include "tools/external/arrays/array_ranges.hpp"
#include "tools/external/external_sort.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::tools {
namespace {

namespace fs = std::filesystem;

kernels::SortOptions options_for(model::RecordLayout const& layout, std::vector<int> devices) {
    kernels::SortOptions options;
    static_cast<SortShape&>(options) = range_shape(layout);
    options.devices = std::move(devices);
    return options;
}

/// Records as bytes, stably sorted by key.
std::string sorted(model::RecordLayout const& layout, std::vector<std::byte> const& records) {
    std::size_t const size = layout.record_bytes;
    return model::with_image_reader(layout, [&](auto const& read) {
        std::vector<std::byte const*> order;
        for (std::size_t at = 0; at < records.size(); at += size) {
            order.push_back(records.data() + at);
        }
        std::ranges::stable_sort(order, {}, read);
        std::string bytes;
        for (std::byte const* const record : order) {
            bytes.append(reinterpret_cast<char const*>(record), size);
        }
        return bytes;
    });
}

/// Memory limit of a GPU: room for some thousand keys more than the minimum of any sort.
std::uint64_t little_memory(kernels::SortOptions const& options) {
    return kernels::workspace_size(options, 1)->bytes_per_gpu() + 250'000;
}

/// Expects that the records of a sort pass verification. \param header with its devices
void expect_verified(RunHeader header, ExternalJob const& job, ExternalResult const& result) {
    header.version = 3;
    header.algorithm = "external-sort";
    header.operation = Operation::external_sort;
    header.key_count = result.record_count;
    header.key_type = job.layout.key_type;
    header.direction = job.layout.direction;
    header.stability = Stability::stable;
    header.input.distribution = "file";
    header.input.file = job.inputs.front().identity.path;
    header.input.content = result.digest;
    std::vector<TraceRecord> trace{header};
    trace.insert(trace.end(), result.records.begin(), result.records.end());
    auto const report = model::verify::verify_run(model::verify::recorded_run_of("test", trace));
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_TRUE(report->holds()) << sentence_of(report->differences.front());
}

/// Sorts generated records, with the first hundred duplicated, in ranges that fit little memory.
void expect_sorted(model::RecordLayout const& layout, std::vector<int> const& devices) {
    constexpr std::uint64_t count = 30'000;
    testing::TemporaryFolder const folder;
    std::vector<std::byte> records(count * layout.record_bytes);
    model::make_records(layout, 3, 0, records);
    std::copy_n(
        records.begin(), 100 * layout.record_bytes, records.end() - 100 * layout.record_bytes);
    fs::path const input = folder.path() / "input";
    std::ofstream(input, std::ios::binary)
        .write(reinterpret_cast<char const*>(records.data()),
               static_cast<std::streamsize>(records.size()));

    auto const options = options_for(layout, devices);
    ExternalJob job;
    job.layout = layout;
    job.program = "test";
    job.inputs = {{identity_of(input).value(), 0, count, {}}};
    job.memory_bytes = std::uint64_t{8} << 20;
    job.outputs = {folder.path() / "output"};
    job.scratch = folder.path() / "scratch";
    job.threads = 2;
    job.gpu_records_max = kernels::range_keys_that_fit(options, little_memory(options)).value();
    job.engine = make_gpu_range_engine(options);
    ASSERT_LT(*job.gpu_records_max, count);
    Storage storage;
    auto const result = sort_external(job, {}, storage);
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_GT(result->range_count, 1U);
    EXPECT_TRUE(testing::text_of(job.outputs[0]) == sorted(layout, records)) << to_string(layout);

    RunHeader header;
    job.engine->describe(header);
    EXPECT_EQ(header.gpus, devices);
    EXPECT_EQ(header.device, "emulated");
    EXPECT_EQ(header.variant, "rmg-fast");
    expect_verified(header, job, *result);
}

TEST(GpuRangeEngine, SortsKeys) {
    auto const keys = model::layout_of_keys(KeyType::u64, Direction::ascending);
    expect_sorted(keys, {0});
    expect_sorted(keys, {0, 1});
    expect_sorted(model::layout_of_keys(KeyType::f32, Direction::descending), {0, 1});
}

TEST(GpuRangeEngine, SortsPairsStably) {
    expect_sorted(model::parse_record_layout(16, "0:8", Direction::ascending, KeyType::u64).value(),
                  {0, 1});
}

TEST(GpuRangeEngine, SortsRecordsByTheirIndices) {
    expect_sorted(model::parse_record_layout(100, "5:8", Direction::ascending).value(), {0, 1});
}

/// Sorts pairs in host memory by ranges: keys below `different`, and their indices.
void expect_arrays_sorted(std::uint64_t different, std::vector<int> const& devices) {
    constexpr std::uint64_t count = 40'000;
    constexpr std::uint64_t records_max = 3'000;
    using Pair = std::pair<std::uint64_t, std::uint64_t>;
    std::vector<std::uint64_t> words(4 * count);
    std::vector<Pair> expected;
    for (std::uint64_t i = 0; i < count; ++i) {
        words[i] = mix_bits(i) % different;
        words[count + i] = i;
        expected.emplace_back(words[i], i);
    }
    std::ranges::stable_sort(expected, {}, &Pair::first);
    auto const array = [&](std::size_t index) {
        return std::as_writable_bytes(std::span(words).subspan(index * count, count));
    };
    auto const layout =
        model::parse_record_layout(16, "0:8", Direction::ascending, KeyType::u64).value();
    auto const engine = make_gpu_range_engine(options_for(layout, devices));
    ASSERT_TRUE(engine->prepare(range_shape(layout), records_max));
    auto const memory = model::divide_memory(layout, std::uint64_t{64} << 20, records_max).value();
    ArrayRanges ranges(layout, memory, 2, {array(0), array(1), array(2), array(3)});
    ASSERT_TRUE(ranges.partition(*engine));
    // GPUs distributed the pairs, in several blocks.
    EXPECT_GT(ranges.task(ranges.leaves().front()).pieces.size(), 1U);
    ASSERT_TRUE(sort_ranges(ranges, *engine, 2));
    for (std::uint64_t i = 0; i < count; ++i) {
        ASSERT_EQ(Pair(words[i], words[count + i]), expected[i]) << different;
    }
}

TEST(GpuRangeEngine, SortsArraysInHostMemory) {
    for (std::uint64_t const different : {1ULL, 2ULL, 9ULL, 5'000ULL, ~0ULL}) {
        expect_arrays_sorted(different, {0});
        expect_arrays_sorted(different, {0, 1});
    }
}

TEST(GpuRangeEngine, SaysWhatIsMissing) {
    auto const keys = model::layout_of_keys(KeyType::u64, Direction::ascending);
    auto const engine = make_gpu_range_engine(options_for(keys, {0, 7}));
    auto const prepared = engine->prepare(range_shape(keys), 1'000);
    ASSERT_FALSE(prepared);
    EXPECT_NE(prepared.error().message().find("device 7"), std::string::npos);
    EXPECT_EQ(make_gpu_range_engine(options_for(keys, {0}))->name(), "rmg-fast on 1 GPU");
}

} // namespace
} // namespace keyswap::tools
