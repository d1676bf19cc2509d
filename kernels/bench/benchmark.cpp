#include "kernels/bench/benchmark.hpp"

#include "kernels/bench/bench_chunks.hpp"
#include "kernels/bench/timings.hpp"
#include "kernels/cpu/thread_team.hpp"
#include "kernels/device/cuda_error.hpp"
#include "kernels/primitives/merge/merge_sort.hpp"
#include "kernels/primitives/radix_sort/radix_sort.hpp"
#include "kernels/runtime/gpu_state.hpp"
#include "kernels/runtime/sorter_options.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

namespace keyswap::kernels {

namespace {

template <class Work>
double milliseconds_of(Work const& work) {
    auto const begin = std::chrono::steady_clock::now();
    work();
    return milliseconds_since(begin);
}

/// Adds the results of one run.
void add_run(BenchRuns& bench,
             SortReport const& report,
             SequenceSummary const& before,
             SequenceSummary const& after) {
    bench.passes = report.passes;
    bench.sorted = bench.sorted && after.violations == 0;
    bench.same_elements = bench.same_elements && after.elements == before.elements;
}

BenchRuns empty_runs(Sorter const& sorter) {
    BenchRuns bench;
    bench.sorted = true;
    bench.same_elements = true;
    bench.bytes_per_gpu = sorter.workspace().bytes_per_gpu();
    return bench;
}

SortExpected<BenchRuns> bench_on_devices(BenchJob const& job, Sorter& sorter) {
    BenchChunks const chunks{job, sorter.workspace().key_capacity};
    BenchRuns bench = empty_runs(sorter);
    // Run 0 is a warm-up, the last one records phases; neither is measured.
    for (int run = 0; run < job.runs + 2; ++run) {
        chunks.fill();
        KEYSWAP_TRY(auto const before, chunks.summary_before());
        bool const timed = run == job.runs + 1;
        SortExpected<SortReport> report;
        double const elapsed = milliseconds_of([&] {
            report = sorter.sort_in_place(
                chunks.chunks(), job.key_count, timed ? PhaseTiming::on : PhaseTiming::off);
        });
        KEYSWAP_RETURN_IF_ERROR(report);
        KEYSWAP_TRY(auto const after, chunks.summary_of(report->chunks));
        add_run(bench, *report, before, after);
        if (timed) {
            bench.times.push_back(report->times);
        } else if (run > 0) {
            bench.milliseconds.push_back(elapsed);
        }
    }
    return bench;
}

/// One of CUB's sorts on one GPU's chunk.
class CubSort {
  public:
    /// \param end_bit of the radix sort, which begins at bit 0
    CubSort(BenchPeer peer,
            ElementShape shape,
            DeviceChunk const& chunk,
            std::uint64_t count,
            int end_bit)
        : peer_(peer), shape_(shape), chunk_(chunk), count_(count), end_bit_(end_bit),
          temp_bytes_(temp_bytes_of(peer, shape, count)) {}

    [[nodiscard]] std::size_t temp_bytes() const { return temp_bytes_; }
    /// Queues the sort. \param temp [temp_bytes()] device \returns location of the sorted keys
    [[nodiscard]] SortedChunk launch(std::byte* temp) const {
        if (peer_ == BenchPeer::cub_merge_sort) {
            launch_merge_sort(
                nullptr, shape_, chunk_.keys, chunk_.values, count_, temp, temp_bytes_);
            return {0, count_, false};
        }
        SortBuffers const buffers{
            {chunk_.keys, chunk_.alternate_keys}, {chunk_.values, chunk_.alternate_values}, 0};
        RadixPolicy const policy =
            peer_ == BenchPeer::cub_tuned_radix_sort ? RadixPolicy::tuned : RadixPolicy::own;
        int const buffer = launch_radix_sort(
            nullptr, shape_, buffers, count_, {0, end_bit_}, temp, temp_bytes_, policy);
        return {0, count_, buffer == 1};
    }

  private:
    static std::size_t temp_bytes_of(BenchPeer peer, ElementShape shape, std::uint64_t count) {
        return peer == BenchPeer::cub_merge_sort ? merge_sort_temp_bytes(shape, count)
                                                 : radix_sort_temp_bytes(shape, count);
    }

    BenchPeer peer_;
    ElementShape shape_;
    DeviceChunk const& chunk_;
    std::uint64_t count_;
    int end_bit_;
    std::size_t temp_bytes_;
};

/// Error if CUB cannot sort the job's keys for comparison.
std::optional<SortError> peer_error(BenchJob const& job) {
    bool const is_identity = image_code(job.options.key_type, job.options.direction).is_identity();
    bool const has_values = job.options.value_type != ValueType::none;
    if (job.peer == BenchPeer::cub_tuned_radix_sort && is_identity &&
        !(has_tuned_policy(job.options) && job.key_count < std::uint64_t{1} << 32)) {
        return refused("No policy is known that sorts these keys faster than CUB's own. Leave "
                       "cub-tuned out.");
    }
    if (is_identity && (key_bits(job.options.key_type) <= 64 || !has_values)) {
        return std::nullopt;
    }
    return refused(is_identity ? "CUB's sorts are measured only on u128 keys without values. "
                                 "Leave the values out."
                               : "CUB's own sorts are measured only on unsigned keys. Use u32, "
                                 "u64 or u128, ascending.");
}

enum class ResultCheck { none, whole };

/// Measures CUB on the first GPU's chunk; for a check, keys must be ordered like their words.
SortExpected<BenchRuns>
bench_on_first_gpu(BenchJob const& job, BenchPeer peer, int end_bit, ResultCheck check) {
    ElementShape const shape = element_shape(job.options);
    BenchChunks const chunks{job, job.key_count};
    int const device = job.options.devices.front();
    DeviceScope const scope{device};
    CubSort const sort{peer, shape, chunks.chunks().front(), job.key_count, end_bit};
    DeviceBuffer<std::byte> const temp{device, sort.temp_bytes()};
    BenchRuns bench;
    if (check == ResultCheck::whole) {
        bench.sorted = true;
        bench.same_elements = true;
        bench.bytes_per_gpu = sort.temp_bytes() + 2 * bytes_of(job.key_count, shape.bytes());
    }
    for (int run = 0; run <= job.runs; ++run) { // run 0 is a warm-up
        chunks.fill();
        SequenceSummary before;
        if (check == ResultCheck::whole) {
            KEYSWAP_TRY(before, chunks.summary_before());
        }
        SortReport report;
        double const elapsed = milliseconds_of([&] {
            report.chunks = {sort.launch(temp.data())};
            KEYSWAP_CUDA(cudaDeviceSynchronize());
        });
        if (check == ResultCheck::whole) {
            KEYSWAP_TRY(auto const after, chunks.summary_of(report.chunks));
            add_run(bench, report, before, after);
        }
        if (run > 0) {
            bench.milliseconds.push_back(elapsed);
        }
    }
    return bench;
}

SortExpected<BenchRuns> bench_peer(BenchJob const& job) {
    if (auto error = peer_error(job)) {
        return tl::unexpected(std::move(*error));
    }
    int const key_bits = element_shape(job.options).key_bytes * 8;
    return bench_on_first_gpu(job, job.peer, key_bits, ResultCheck::whole);
}

/// Elements in pinned host memory, generated in slices on the first GPU.
class HostElements {
  public:
    HostElements(BenchJob const& job, HostMemory& keys, HostMemory& values)
        : job_(job), shape_(element_shape(job.options)), device_(job.options.devices.front()),
          host_keys_(keys.data()),
          host_values_(values.data()), keys_{device_, bytes_of(slice, shape_.key_bytes)},
          values_{device_, bytes_of(slice, shape_.value_bytes)} {}

    void fill() const {
        if (!job_.keys.empty()) {
            copy_by_threads(host_keys_, job_.keys);
            copy_by_threads(host_values_, job_.values);
            return;
        }
        DeviceScope const scope{device_};
        for_each_slice([&](std::uint64_t first, std::uint64_t count) {
            make_bench_elements(job_, first, count, keys_.data(), values_.data());
            copy_slice(host_keys_, keys_, shape_.key_bytes, first, count);
            copy_slice(host_values_, values_, shape_.value_bytes, first, count);
        });
    }

    [[nodiscard]] SequenceSummary summary() const {
        SequencePart const all{
            SequencePart::in_host_memory, host_keys_, host_values_, job_.key_count};
        return summarize_in_host_memory(job_.options, all, {});
    }

  private:
    static constexpr std::uint64_t slice = std::uint64_t{1} << 26;

    template <class Work>
    void for_each_slice(Work const& work) const {
        for (std::uint64_t at = 0; at < job_.key_count; at += slice) {
            work(at, std::min(slice, job_.key_count - at));
        }
    }

    static void copy_slice(void* host,
                           DeviceBuffer<std::byte> const& device,
                           int element_bytes,
                           std::uint64_t first,
                           std::uint64_t count) {
        if (element_bytes > 0) {
            KEYSWAP_CUDA(cudaMemcpy(static_cast<std::byte*>(host) + bytes_of(first, element_bytes),
                                    device.data(),
                                    bytes_of(count, element_bytes),
                                    cudaMemcpyDeviceToHost));
        }
    }

    static void copy_by_threads(void* to, std::span<std::byte const> from) {
        unsigned const threads = std::max(1U, std::thread::hardware_concurrency());
        run_on_threads(threads, [=](unsigned thread) {
            auto const [begin, end] = block_of(from.size(), threads, thread);
            std::memcpy(static_cast<std::byte*>(to) + begin, from.data() + begin, end - begin);
        });
    }

    BenchJob const& job_;
    ElementShape shape_;
    int device_;
    void* host_keys_;
    void* host_values_;
    DeviceBuffer<std::byte> keys_;
    DeviceBuffer<std::byte> values_;
};

SortExpected<BenchRuns> bench_on_host(BenchJob const& job, Sorter& sorter) {
    ElementShape const shape = element_shape(job.options);
    auto keys = HostMemory::allocate(bytes_of(job.key_count, shape.key_bytes));
    auto values = HostMemory::allocate(bytes_of(job.key_count, shape.value_bytes));
    if (!keys || !values) {
        return tl::unexpected(keys ? values.error() : keys.error());
    }
    HostElements const elements{job, *keys, *values};
    BenchRuns bench = empty_runs(sorter);
    for (int run = 0; run <= job.runs; ++run) { // run 0 is a warm-up
        elements.fill();
        SequenceSummary const before = elements.summary();
        SortExpected<SortReport> report;
        double const elapsed = milliseconds_of([&] {
            report = sorter.sort(keys->data(), values->data(), job.key_count, PhaseTiming::on);
        });
        KEYSWAP_RETURN_IF_ERROR(report);
        add_run(bench, *report, before, elements.summary());
        if (run > 0) {
            bench.milliseconds.push_back(elapsed);
            bench.times.push_back(report->times);
        }
    }
    return bench;
}

} // namespace

SortExpected<BenchRuns> bench_sort(BenchJob const& job) {
    if (job.peer != BenchPeer::none) {
        return guarded([&job] { return bench_peer(job); });
    }
    bool const on_host = job.residence == Residence::host;
    KEYSWAP_TRY(auto sorter,
                Sorter::create(job.options,
                               job.key_count,
                               on_host ? ChunkBuffers::sorter : ChunkBuffers::caller));
    return guarded([&]() -> SortExpected<BenchRuns> {
        return on_host ? bench_on_host(job, sorter) : bench_on_devices(job, sorter);
    });
}

SortExpected<BenchRuns> bench_cub(BenchJob const& job, int end_bit) {
    return guarded([&]() -> SortExpected<BenchRuns> {
        BenchJob one_gpu = job;
        one_gpu.options.devices.resize(1);
        return bench_on_first_gpu(one_gpu, BenchPeer::cub_radix_sort, end_bit, ResultCheck::none);
    });
}

} // namespace keyswap::kernels
