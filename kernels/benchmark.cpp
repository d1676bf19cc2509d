#include "kernels/benchmark.hpp"

#include "kernels/benchmark_kernels.hpp"
#include "kernels/partition_kernels.hpp"
#include "kernels/radix_sort.hpp"
#include "kernels/rank.hpp"
#include "kernels/sorter_options.hpp"
#include "kernels/sorter_state.hpp"

#include <algorithm>
#include <chrono>

namespace keyswap::kernels {

namespace {

constexpr std::uint64_t seed = 1;

SortError error_of(CudaFailure const& failure) {
    bool const no_memory = failure.code() == cudaErrorMemoryAllocation;
    return {no_memory ? SortErrorCode::out_of_device_memory : SortErrorCode::device_failure,
            failure.what(),
            InputState::intact};
}

/// Runs `body`, turning CUDA failures and returned errors into one kind of result.
template <class Body>
auto guarded(Body const& body) -> SortExpected<decltype(body())> {
    try {
        return body();
    } catch (CudaFailure const& failure) {
        return tl::unexpected(error_of(failure));
    }
}

template <class Work>
double milliseconds_of(Work const& work) {
    auto const begin = std::chrono::steady_clock::now();
    work();
    std::chrono::duration<double, std::milli> const elapsed =
        std::chrono::steady_clock::now() - begin;
    return elapsed.count();
}

/// Two places for keys and values on each GPU, with keys that can be made again.
class BenchChunks {
  public:
    BenchChunks(SortOptions const& options,
                std::uint64_t key_count,
                std::uint64_t capacity,
                BenchKeys keys)
        : options_(options), shape_(element_shape(options)), key_count_(key_count), keys_(keys),
          chunk_size_(placement_rule(options, key_count).chunk_size) {
        for (int const device : options.devices) {
            DeviceChunk chunk;
            chunk.keys = allocate(device, capacity, shape_.key_bytes);
            chunk.alternate_keys = allocate(device, capacity, shape_.key_bytes);
            chunk.values = allocate(device, capacity, shape_.value_bytes);
            chunk.alternate_values = allocate(device, capacity, shape_.value_bytes);
            chunks_.push_back(chunk);
        }
    }

    [[nodiscard]] std::vector<DeviceChunk> const& chunks() const { return chunks_; }

    void fill() const {
        for (std::size_t gpu = 0; gpu < chunks_.size(); ++gpu) {
            DeviceScope const scope{options_.devices[gpu]};
            std::uint64_t const begin = std::min(key_count_, gpu * chunk_size_);
            std::uint64_t const count = std::min(chunk_size_, key_count_ - begin);
            launch_bench_keys(nullptr,
                              shape_.key_bytes,
                              chunks_[gpu].keys,
                              begin,
                              count,
                              key_count_,
                              keys_,
                              seed);
            if (shape_.value_bytes > 0) {
                launch_bench_keys(nullptr,
                                  shape_.value_bytes,
                                  chunks_[gpu].values,
                                  begin,
                                  count,
                                  key_count_,
                                  BenchKeys::uniform,
                                  seed + 1);
            }
            KEYSWAP_CUDA(cudaDeviceSynchronize());
        }
    }

    /// Digest of all elements as they lie before (by chunk) a sort.
    [[nodiscard]] MultisetDigest digest_before() const {
        MultisetDigest sum;
        for (std::size_t gpu = 0; gpu < chunks_.size(); ++gpu) {
            std::uint64_t const begin = std::min(key_count_, gpu * chunk_size_);
            std::uint64_t const count = std::min(chunk_size_, key_count_ - begin);
            sum += digest_of_place(gpu, chunks_[gpu].keys, chunks_[gpu].values, count);
        }
        return sum;
    }

    [[nodiscard]] MultisetDigest digest_after(std::vector<SortedChunk> const& sorted) const {
        MultisetDigest sum;
        for (std::size_t gpu = 0; gpu < chunks_.size(); ++gpu) {
            DeviceChunk const& chunk = chunks_[gpu];
            bool const other = sorted[gpu].in_alternate;
            sum += digest_of_place(gpu,
                                   other ? chunk.alternate_keys : chunk.keys,
                                   other ? chunk.alternate_values : chunk.values,
                                   sorted[gpu].count);
        }
        return sum;
    }

    /// Whether every GPU's range is in order and no GPU's first key is below its neighbour's last.
    [[nodiscard]] bool in_order(std::vector<SortedChunk> const& sorted) const {
        ImageCode const code = image_code(options_.key_type, options_.direction);
        std::uint64_t last_image = 0;
        for (std::size_t gpu = 0; gpu < chunks_.size(); ++gpu) {
            DeviceScope const scope{options_.devices[gpu]};
            DeviceChunk const& chunk = chunks_[gpu];
            void const* const keys = sorted[gpu].in_alternate ? chunk.alternate_keys : chunk.keys;
            if (sorted[gpu].count == 0) {
                continue;
            }
            DeviceBuffer<std::uint64_t> const violations{options_.devices[gpu], 1};
            KEYSWAP_CUDA(cudaMemset(violations.data(), 0, sizeof(std::uint64_t)));
            launch_order_check(
                nullptr, shape_.key_bytes, keys, sorted[gpu].count, code, violations.data());
            std::uint64_t found = 0;
            KEYSWAP_CUDA(
                cudaMemcpy(&found, violations.data(), sizeof(found), cudaMemcpyDeviceToHost));
            std::uint64_t const first_image = image_at(keys, 0, code);
            if (found > 0 || first_image < last_image) {
                return false;
            }
            last_image = image_at(keys, sorted[gpu].count - 1, code);
        }
        return true;
    }

  private:
    void* allocate(int device, std::uint64_t count, int element_bytes) {
        if (element_bytes == 0) {
            return nullptr;
        }
        return buffers_
            .emplace_back(device,
                          static_cast<std::size_t>(count) * static_cast<std::size_t>(element_bytes))
            .data();
    }

    [[nodiscard]] MultisetDigest digest_of_place(std::size_t gpu,
                                                 void const* keys,
                                                 void const* values,
                                                 std::uint64_t count) const {
        int const device = options_.devices[gpu];
        DeviceScope const scope{device};
        DeviceBuffer<KeyRange> const range{device, 1};
        DeviceBuffer<MultisetDigest> const digest{device, 1};
        KeyRange const all{0, count};
        KEYSWAP_CUDA(cudaMemcpy(range.data(), &all, sizeof(all), cudaMemcpyHostToDevice));
        launch_digests(nullptr,
                       shape_.key_bytes,
                       keys,
                       shape_.value_bytes,
                       values,
                       range.data(),
                       1,
                       digest.data());
        MultisetDigest result;
        KEYSWAP_CUDA(cudaMemcpy(&result, digest.data(), sizeof(result), cudaMemcpyDeviceToHost));
        return result;
    }

    [[nodiscard]] std::uint64_t
    image_at(void const* keys, std::uint64_t index, ImageCode code) const {
        std::uint64_t raw = 0;
        void const* const from = static_cast<std::byte const*>(keys) +
                                 index * static_cast<std::uint64_t>(shape_.key_bytes);
        KEYSWAP_CUDA(cudaMemcpy(
            &raw, from, static_cast<std::size_t>(shape_.key_bytes), cudaMemcpyDeviceToHost));
        return shape_.key_bytes == 4 ? encode_image(static_cast<std::uint32_t>(raw), code)
                                     : encode_image(raw, code);
    }

    SortOptions options_;
    ElementShape shape_;
    std::uint64_t key_count_;
    BenchKeys keys_;
    std::uint64_t chunk_size_;
    std::vector<DeviceBuffer<std::byte>> buffers_;
    std::vector<DeviceChunk> chunks_;
};

void synchronize_all(std::vector<int> const& devices) {
    for (int const device : devices) {
        DeviceScope const scope{device};
        KEYSWAP_CUDA(cudaDeviceSynchronize());
    }
}

} // namespace

SortExpected<BenchRuns>
bench_device_sort(SortOptions const& options, std::uint64_t key_count, BenchKeys keys, int runs) {
    auto sorter = Sorter::create(options, key_count, ChunkBuffers::caller);
    if (!sorter) {
        return tl::unexpected(sorter.error());
    }
    std::optional<SortError> error;
    auto result = guarded([&] {
        BenchChunks const chunks{options, key_count, sorter->workspace().key_capacity, keys};
        BenchRuns bench;
        bench.sorted = true;
        bench.same_elements = true;
        bench.bytes_per_gpu = sorter->workspace().bytes_per_gpu();
        // Run 0 warms up, the last has timing on; neither counts.
        for (int run = 0; run < runs + 2 && !error; ++run) {
            chunks.fill();
            MultisetDigest const before = chunks.digest_before();
            bool const timed = run == runs + 1;
            SortExpected<SortReport> report;
            double const elapsed = milliseconds_of([&] {
                report = sorter->sort_in_place(
                    chunks.chunks(), key_count, timed ? PhaseTiming::on : PhaseTiming::off);
            });
            if (!report) {
                error = report.error();
                break;
            }
            bench.sorted = bench.sorted && chunks.in_order(report->chunks);
            bench.same_elements =
                bench.same_elements && chunks.digest_after(report->chunks) == before;
            bench.passes = report->passes;
            if (timed) {
                bench.times = report->times;
            } else if (run > 0) {
                bench.milliseconds.push_back(elapsed);
            }
        }
        return bench;
    });
    if (error) {
        return tl::unexpected(*error);
    }
    return result;
}

SortExpected<BenchRuns>
bench_host_sort(SortOptions const& options, std::uint64_t key_count, BenchKeys keys, int runs) {
    auto sorter = Sorter::create(options, key_count, ChunkBuffers::sorter);
    if (!sorter) {
        return tl::unexpected(sorter.error());
    }
    ElementShape const shape = element_shape(options);
    auto host_keys = HostMemory::allocate(key_count * static_cast<std::uint64_t>(shape.key_bytes));
    auto host_values =
        HostMemory::allocate(key_count * static_cast<std::uint64_t>(shape.value_bytes));
    if (!host_keys || !host_values) {
        return tl::unexpected(host_keys ? host_values.error() : host_keys.error());
    }
    SortOptions one_gpu = options;
    one_gpu.devices.resize(1);
    std::optional<SortError> error;
    auto result = guarded([&] {
        BenchRuns bench;
        bench.bytes_per_gpu = sorter->workspace().bytes_per_gpu();
        for (int run = 0; run < runs + 2 && !error; ++run) {
            // Made in slices on the first GPU, so that any number of keys fits.
            constexpr std::uint64_t slice = std::uint64_t{1} << 26;
            DeviceBuffer<std::uint64_t> const made{one_gpu.devices[0], slice};
            DeviceScope const scope{one_gpu.devices[0]};
            for (std::uint64_t at = 0; at < key_count; at += slice) {
                std::uint64_t const count = std::min(slice, key_count - at);
                launch_bench_keys(
                    nullptr, shape.key_bytes, made.data(), at, count, key_count, keys, seed);
                KEYSWAP_CUDA(cudaMemcpy(element(host_keys->data(), shape.key_bytes, at),
                                        made.data(),
                                        count * static_cast<std::uint64_t>(shape.key_bytes),
                                        cudaMemcpyDeviceToHost));
            }
            bool const timed = run == runs + 1;
            SortExpected<SortReport> report;
            double const elapsed = milliseconds_of([&] {
                report = sorter->sort(host_keys->data(),
                                      host_values->data(),
                                      key_count,
                                      timed ? PhaseTiming::on : PhaseTiming::off);
            });
            if (!report) {
                error = report.error();
                break;
            }
            bench.passes = report->passes;
            if (timed) {
                bench.times = report->times;
            } else if (run > 0) {
                bench.milliseconds.push_back(elapsed);
            }
        }
        return bench;
    });
    if (error) {
        return tl::unexpected(*error);
    }
    return result;
}

SortExpected<BenchRuns> bench_cub(
    SortOptions const& options, std::uint64_t key_count, BenchKeys keys, int end_bit, int runs) {
    return guarded([&] {
        SortOptions one_gpu = options;
        one_gpu.devices.resize(1);
        int const device = one_gpu.devices[0];
        ElementShape const shape = element_shape(options);
        BenchChunks const chunks{one_gpu, key_count, key_count, keys};
        DeviceScope const scope{device};
        std::size_t const temp_bytes = radix_sort_temp_bytes(shape, key_count);
        DeviceBuffer<std::byte> const temp{device, temp_bytes};
        DeviceChunk const& chunk = chunks.chunks()[0];
        SortBuffers const buffers{
            {chunk.keys, chunk.alternate_keys}, {chunk.values, chunk.alternate_values}, 0};
        BenchRuns bench;
        for (int run = 0; run <= runs; ++run) {
            chunks.fill();
            double const elapsed = milliseconds_of([&] {
                launch_radix_sort(
                    nullptr, shape, buffers, key_count, {0, end_bit}, temp.data(), temp_bytes);
                KEYSWAP_CUDA(cudaDeviceSynchronize());
            });
            if (run > 0) {
                bench.milliseconds.push_back(elapsed);
            }
        }
        return bench;
    });
}

SortExpected<MachineRates> bench_machine(std::vector<int> const& devices, std::uint64_t bytes) {
    return guarded([&] {
        constexpr int repeats = 5;
        static_cast<void>(enable_peer_access({devices.begin(), devices.end()}));
        auto const gpus = devices.size();
        std::vector<DeviceBuffer<std::byte>> from;
        std::vector<DeviceBuffer<std::byte>> to;
        std::vector<Stream> streams;
        PinnedBuffer<std::byte> const host{static_cast<std::size_t>(bytes) * gpus};
        for (int const device : devices) {
            from.emplace_back(device, bytes);
            to.emplace_back(device, bytes);
            streams.emplace_back(device);
        }
        auto const rate = [&](double moved, auto const& queue) {
            std::vector<double> times;
            for (int i = 0; i <= repeats; ++i) {
                synchronize_all(devices);
                times.push_back(milliseconds_of([&] {
                    queue();
                    synchronize_all(devices);
                }));
            }
            std::sort(times.begin(), times.end());
            return moved / times[times.size() / 2] / 1e6;
        };
        auto const size = static_cast<double>(bytes);
        auto const count = static_cast<double>(gpus);
        MachineRates rates;
        rates.memory_copy = rate(2 * size, [&] {
            copy_async(
                streams[0].get(), devices[0], to[0].data(), devices[0], from[0].data(), bytes);
        });
        rates.host_to_device_all = rate(size * count, [&] {
            for (std::size_t i = 0; i < gpus; ++i) {
                KEYSWAP_CUDA(cudaMemcpyAsync(to[i].data(),
                                             host.data() + i * bytes,
                                             bytes,
                                             cudaMemcpyHostToDevice,
                                             streams[i].get()));
            }
        });
        rates.device_to_host_all = rate(size * count, [&] {
            for (std::size_t i = 0; i < gpus; ++i) {
                KEYSWAP_CUDA(cudaMemcpyAsync(host.data() + i * bytes,
                                             from[i].data(),
                                             bytes,
                                             cudaMemcpyDeviceToHost,
                                             streams[i].get()));
            }
        });
        if (gpus > 1) {
            rates.peer_pair = rate(size, [&] {
                copy_async(
                    streams[0].get(), devices[1], to[1].data(), devices[0], from[0].data(), bytes);
            });
            std::uint64_t const part = bytes / gpus;
            rates.all_to_all_out = rate(static_cast<double>(part) * (count - 1), [&] {
                for (std::size_t turn = 1; turn < gpus; ++turn) {
                    for (std::size_t i = 0; i < gpus; ++i) {
                        std::size_t const peer = (i + turn) % gpus;
                        copy_async(streams[i].get(),
                                   devices[peer],
                                   to[peer].data() + i * part,
                                   devices[i],
                                   from[i].data() + peer * part,
                                   part);
                    }
                }
            });
        }
        return rates;
    });
}

} // namespace keyswap::kernels
