#include "kernels/bench/kernel_rates.hpp"

#include "kernels/bench/benchmark_kernels.hpp"
#include "kernels/bench/timed_stream.hpp"
#include "kernels/bench/timings.hpp"
#include "kernels/device/cuda_error.hpp"
#include "kernels/primitives/merge/merge_kernels.hpp"
#include "kernels/primitives/partition/partition_kernels.hpp"
#include "kernels/primitives/radix_sort/radix_sort.hpp"
#include "kernels/runtime/gpu_state.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace keyswap::kernels {

namespace {

constexpr std::uint64_t key_seed = 1;
constexpr int small_copies = 64;

class KernelProbe {
  public:
    KernelProbe(int device, int key_bytes, std::uint64_t key_count)
        : device_(device), shape_{key_bytes, 0}, key_count_(key_count), stream_(device),
          temp_bytes_(std::max(radix_sort_temp_bytes(shape_, key_count),
                               merge_temp_bytes(shape_, key_count))),
          temp_(device, temp_bytes_), counts_(device, 256) {
        for (auto& place : places_) {
            place = DeviceBuffer<std::byte>{
                device, static_cast<std::size_t>(key_count) * static_cast<std::size_t>(key_bytes)};
        }
    }

    /// Sets the keys for all later measurements.
    void use(BenchKeys pattern) {
        pattern_ = pattern;
        fill();
    }

    [[nodiscard]] double histogram_us(std::uint64_t count, TimedCalls calls) const {
        PartList parts;
        parts.count = 1;
        parts.part[0] = {0, count};
        return stream_.median_us(calls, [&] {
            launch_histogram(stream_.get(),
                             shape_.key_bytes,
                             places_[0].data(),
                             parts,
                             {shape_.key_bytes * 8 - 8, 8, {}},
                             counts_.data());
        });
    }

    /// Generates keys before each run, as sorted keys would be scattered faster.
    [[nodiscard]] double sort_us(std::uint64_t count, BitWindow window) const {
        SortBuffers const buffers{{places_[0].data(), places_[1].data()}, {}, 0};
        return stream_.median_us(
            [&] {
                launch_radix_sort(
                    stream_.get(), shape_, buffers, count, window, temp_.data(), temp_bytes_);
            },
            [this] { fill(); });
    }

    /// \pre both halves of the keys are sorted, as for all-equal and sorted keys
    [[nodiscard]] double merge_us(std::uint64_t count, TimedCalls calls) const {
        std::uint64_t const half = count / 2;
        MergeRuns runs;
        runs.keys[0] = places_[0].data();
        runs.keys[1] = places_[0].data() + half * static_cast<std::uint64_t>(shape_.key_bytes);
        runs.count[0] = half;
        runs.count[1] = count - half;
        runs.keys_out = places_[1].data();
        return stream_.median_us(
            calls, [&] { launch_merge(stream_.get(), shape_, runs, temp_.data(), temp_bytes_); });
    }

    [[nodiscard]] double local_copy_us(std::uint64_t bytes) const {
        return stream_.median_us(TimedCalls::in_a_row, [&] {
            copy_async(stream_.get(),
                       device_,
                       places_[1].data(),
                       device_,
                       places_[0].data(),
                       static_cast<std::size_t>(bytes));
        });
    }

    /// Time of each of many consecutive copies of 4 kB.
    [[nodiscard]] double small_copy_us(cudaMemcpyKind kind) const {
        PinnedBuffer<std::byte> const host{4096};
        bool const from_host = kind == cudaMemcpyHostToDevice;
        return stream_.median_us(TimedCalls::alone, [&] {
            for (int i = 0; i < small_copies; ++i) {
                KEYSWAP_CUDA(cudaMemcpyAsync(places_[1].data(),
                                             from_host ? host.data() : places_[0].data(),
                                             host.size(),
                                             kind,
                                             stream_.get()));
            }
        }) / small_copies;
    }

    /// Host time of each call that queues the sorts and downloads of small buckets, as
    /// sort_buckets() does: the median of seven runs after a warm-up. No call waits for the GPU.
    /// \pre keys have 32 bits
    [[nodiscard]] double host_call_us() const {
        constexpr int buckets = 16;
        constexpr int passes = 4;
        // Per pass of 8 bits, for the histogram and for its sums: a launch and clearing counters.
        // Source: CUB, DispatchRadixSort::InvokeOnesweep.
        constexpr int calls_per_bucket = 2 * (2 + passes) + 3;
        constexpr int queued_max = 1024; // calls of a stream; the next one waits
        static_assert(buckets * calls_per_bucket < queued_max);
        constexpr std::uint64_t bucket_keys = 1 << 16; // fewer may be sorted by a single kernel
        constexpr int runs = 7;
        Stream const copy_stream{device_};
        Event const sorted{device_, EventTiming::off};
        PinnedBuffer<std::byte> const host{4096};
        SortBuffers const buffers{{places_[0].data(), places_[1].data()}, {}, 0};
        std::vector<double> times;
        for (int run = 0; run <= runs; ++run) {
            auto const begin = std::chrono::steady_clock::now();
            for (int bucket = 0; bucket < buckets; ++bucket) {
                int const result = launch_radix_sort(stream_.get(),
                                                     shape_,
                                                     buffers,
                                                     std::min(bucket_keys, key_count_),
                                                     {0, 8 * passes},
                                                     temp_.data(),
                                                     temp_bytes_);
                sorted.record(stream_.get());
                sorted.make_wait(copy_stream.get());
                KEYSWAP_CUDA(cudaMemcpyAsync(host.data(),
                                             places_[result].data(),
                                             host.size(),
                                             cudaMemcpyDeviceToHost,
                                             copy_stream.get()));
            }
            double const elapsed_us = 1e3 * milliseconds_since(begin);
            wait_for(stream_.get());
            wait_for(copy_stream.get());
            if (run > 0) {
                times.push_back(elapsed_us / (buckets * calls_per_bucket));
            }
        }
        return median_of(std::move(times));
    }

    [[nodiscard]] int key_bits() const { return shape_.key_bytes * 8; }

  private:
    void fill() const {
        launch_bench_keys(stream_.get(),
                          shape_.key_bytes,
                          places_[0].data(),
                          0,
                          key_count_,
                          key_count_,
                          pattern_,
                          key_seed);
    }

    int device_;
    ElementShape shape_;
    std::uint64_t key_count_;
    BenchKeys pattern_ = BenchKeys::uniform;
    TimedStream stream_;
    std::size_t temp_bytes_;
    DeviceBuffer<std::byte> temp_;
    DeviceBuffer<std::uint64_t> counts_;
    DeviceBuffer<std::byte> places_[2];
};

KeyWidthRates rates_of(KernelProbe& probe, std::uint64_t key_count) {
    auto const ps_per_key = [key_count](double us) {
        return us * 1e6 / static_cast<double>(key_count);
    };
    int const bits = probe.key_bits();
    KeyWidthRates rates;
    probe.use(BenchKeys::uniform);
    rates.histogram_ps = ps_per_key(probe.histogram_us(key_count, TimedCalls::in_a_row));
    rates.scatter_ps = ps_per_key(probe.sort_us(key_count, {bits - 8, bits}));
    for (int pass = 0; pass < 4; ++pass) {
        rates.sort_ps[pass] = ps_per_key(probe.sort_us(key_count, {0, 8 * (pass + 1)}));
    }
    probe.use(BenchKeys::sorted);
    rates.merge_ps = ps_per_key(probe.merge_us(key_count, TimedCalls::in_a_row));
    probe.use(BenchKeys::zero);
    rates.scatter_one_digit_ps = ps_per_key(probe.sort_us(key_count, {bits - 8, bits}));
    return rates;
}

} // namespace

SortExpected<KernelRates> measure_kernels(int device, std::uint64_t key_count) {
    return guarded([&]() -> SortExpected<KernelRates> {
        DeviceScope const scope{device};
        KernelRates rates;
        std::size_t available = 0;
        std::size_t total = 0;
        KEYSWAP_CUDA(cudaMemGetInfo(&available, &total));
        rates.memory_bytes = total;
        {
            KernelProbe probe{device, 8, key_count};
            rates.key64 = rates_of(probe, key_count);
        }
        rates.fast = measure_fast_kernels(device, key_count);
        KernelProbe probe{device, 4, key_count};
        rates.key32 = rates_of(probe, key_count);
        constexpr std::uint64_t few = 2;
        rates.histogram_us = probe.histogram_us(few, TimedCalls::alone);
        rates.scatter_us = probe.sort_us(few, {24, 32});
        rates.sort_us = rates.scatter_us;
        rates.merge_us = probe.merge_us(few, TimedCalls::alone);
        rates.host_copy_us = probe.small_copy_us(cudaMemcpyHostToDevice);
        rates.peer_copy_us = probe.small_copy_us(cudaMemcpyDeviceToDevice);
        rates.host_call_us = probe.host_call_us();
        std::uint64_t const bytes = key_count * 4;
        rates.local_copy_GBps = static_cast<double>(bytes) / probe.local_copy_us(bytes) / 1e3;
        return rates;
    });
}

} // namespace keyswap::kernels
