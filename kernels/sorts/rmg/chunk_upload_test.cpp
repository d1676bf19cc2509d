/// \file Keys that `fast` counts piece by piece during their upload from host memory.

#include "kernels/runtime/chunk_upload.hpp"
#include "kernels/sorts/rmg/digit_counts.hpp"
#include "kernels/sorts/rmg/fast_memory.hpp"
#include "kernels/sorts/sort_run.hpp"
#include "kernels/sorts/whole_sort_test.hpp"

#include <numeric>

namespace keyswap::kernels {
namespace {

using gpu_test::CallerChunks;
using gpu_test::devices;
using gpu_test::make_keys;
using gpu_test::MemorySink;
using gpu_test::pattern_count;
using gpu_test::pattern_names;
using gpu_test::rmg;

SortOptions fast_options(KeyType type, int gpus) {
    SortOptions options;
    options.key_type = type;
    options.choice = rmg("fast");
    options.devices = devices(gpus);
    options.tuning.digits_min = 0;
    options.tuning.rounds_min = 0;
    options.tuning.leaf_max = 64;
    return options;
}

template <class Word>
std::vector<TraceRecord> records_from_host(SortOptions const& options, std::vector<Word> keys) {
    MemorySink sink;
    auto sorter = Sorter::create(options, keys.size(), ChunkBuffers::sorter);
    EXPECT_TRUE(sorter.has_value());
    EXPECT_TRUE(sorter->sort(keys.data(), nullptr, keys.size(), PhaseTiming::off, &sink));
    return sink.records;
}

template <class Word>
std::vector<TraceRecord> records_in_place(SortOptions const& options, std::vector<Word> keys) {
    MemorySink sink;
    auto sorter = Sorter::create(options, keys.size(), ChunkBuffers::caller);
    EXPECT_TRUE(sorter.has_value());
    CallerChunks const chunks{*sorter};
    chunks.fill({keys.data(), nullptr}, keys.size());
    EXPECT_TRUE(
        sorter->sort_in_place(chunks.chunks(), keys.size(), PhaseTiming::off, &sink).has_value());
    return sink.records;
}

/// Counts of pieces must add up to those of the whole.
template <class Word>
void expect_same_records(KeyType type) {
    for (int const gpus : {2, 3, 5}) {
        for (int pattern = 0; pattern < pattern_count; ++pattern) {
            SortOptions const options = fast_options(type, gpus);
            auto const keys = make_keys<Word>(pattern, 40'009, 7);
            ASSERT_EQ(records_from_host(options, keys), records_in_place(options, keys))
                << gpus << " GPUs, " << pattern_names[pattern];
        }
    }
}

TEST(ChunkUpload, IsCountedInPiecesAsAChunkOnAGpuIsAsAWhole) {
    KEYSWAP_NEEDS_GPUS(1);
    expect_same_records<std::uint32_t>(KeyType::u32);
    expect_same_records<std::uint64_t>(KeyType::f64);
}

std::vector<std::byte> sample_of(RunContext const& context, std::vector<GpuState> const& gpus) {
    std::span<std::byte> const sample = fast_memory(gpus.front()).sample.span();
    std::ranges::fill(sample, std::byte{0});
    DigitCounts const rule{context, gpus, HalfDigits::not_counted};
    for (GpuState const& gpu : gpus) {
        wait_for(gpu.stream);
    }
    return {sample.begin(), sample.end()};
}

TEST(ChunkUpload, IsSampledOnTheHostAsGpusSampleIt) {
    KEYSWAP_NEEDS_GPUS(1);
    auto keys = make_keys<std::uint64_t>(0, 40'009, 7);
    SorterState state{fast_options(KeyType::u64, 3), keys.size(), ChunkBuffers::sorter};
    SortRun run{state, keys.size(), PhaseTiming::off, nullptr};
    run.use_own_buffers();
    run.start_clock();
    run.copy_from_host({keys.data(), nullptr});
    std::vector<GpuState> gpus = run.gpus();
    auto const on_host = sample_of(run.context(), gpus);
    for (GpuState& gpu : gpus) {
        await_upload(gpu);
        gpu.upload.reset();
    }
    EXPECT_EQ(on_host, sample_of(run.context(), gpus));
    EXPECT_LT(std::ranges::count(on_host, std::byte{0}), 200); // 128 of 32,768 on average
}

TEST(ChunkUpload, OfFewerKeysThanPiecesIsSorted) {
    KEYSWAP_NEEDS_GPUS(1);
    for (std::uint64_t count = 0; count < 40; ++count) {
        SortOptions const options = fast_options(KeyType::i32, 3);
        auto const keys = make_keys<std::uint32_t>(0, count, 7);
        ASSERT_EQ(records_from_host(options, keys), records_in_place(options, keys)) << count;
    }
}

/// Includes values, which are uploaded after all keys.
TEST(ChunkUpload, TakesTimesThatEndBeforeTheSortDoes) {
    KEYSWAP_NEEDS_GPUS(1);
    SortOptions options = fast_options(KeyType::u32, 2);
    options.value_type = ValueType::bits32;
    auto keys = make_keys<std::uint32_t>(0, 40'009, 7);
    std::vector<std::uint32_t> values(keys.size());
    std::iota(values.begin(), values.end(), 0U);
    auto sorter = Sorter::create(options, keys.size(), ChunkBuffers::sorter);
    ASSERT_TRUE(sorter.has_value());
    auto const report = sorter->sort(keys.data(), values.data(), keys.size(), PhaseTiming::on);
    ASSERT_TRUE(report.has_value());
    auto const time_of = [&report](Phase phase, GpuId gpu) {
        return *std::ranges::find_if(report->times, [=](PhaseTimeRecord const& time) {
            return time.phase == phase && time.gpu == gpu;
        });
    };
    for (GpuId const gpu : {GpuId{0}, GpuId{1}}) {
        PhaseTimeRecord const upload = time_of(Phase::host_to_device, gpu);
        EXPECT_GE(upload.begin_ns, 0);
        EXPECT_LE(upload.begin_ns, time_of(Phase::histogram, gpu).begin_ns);
        EXPECT_LE(upload.end_ns, time_of(Phase::scatter, gpu).begin_ns);
    }
}

TEST(ChunkUpload, TimesOfASortThatDownloadsEndWithTheCopyBack) {
    KEYSWAP_NEEDS_GPUS(1);
    for (std::uint64_t const count : {400ULL, 40'009ULL}) {
        SortOptions const options = fast_options(KeyType::u64, 2);
        auto keys = make_keys<std::uint64_t>(0, count, 7);
        auto sorter = Sorter::create(options, keys.size(), ChunkBuffers::sorter);
        ASSERT_TRUE(sorter.has_value());
        auto const report = sorter->sort(keys.data(), nullptr, keys.size(), PhaseTiming::on);
        ASSERT_TRUE(report.has_value());
        for (GpuId const gpu : {GpuId{0}, GpuId{1}}) {
            PhaseTimeRecord const* last = nullptr;
            for (PhaseTimeRecord const& time : report->times) {
                bool const is_later = last == nullptr || time.end_ns >= last->end_ns;
                last = time.gpu == gpu && is_later ? &time : last;
            }
            ASSERT_NE(last, nullptr);
            EXPECT_TRUE(last->phase == Phase::bucket_sort_and_copy_back ||
                        last->phase == Phase::device_to_host)
                << count << " keys, " << last->phase.text();
        }
    }
}

} // namespace
} // namespace keyswap::kernels
