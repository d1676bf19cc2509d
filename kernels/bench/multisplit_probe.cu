// Times multisplit beside CUB on one GPU, from a prebuilt binary on a machine without the libraries
// that keyswap needs. Every result is checked on the device before its time is printed.
// usage: keyswap_multisplit_probe [LOG2_KEYS]     (default 28)

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/device_buffer.hpp"
#include "kernels/device/key_image.hpp"
#include "kernels/histogram.hpp"
#include "kernels/multisplit.hpp"
#include "traces/records/digest.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <functional>
#include <string>
#include <vector>

using namespace keyswap;
using namespace keyswap::kernels;

namespace {

constexpr int runs = 7;
bool quick = false;

template <class Key>
__global__ void fill_kernel(Key* keys, std::uint64_t count, std::uint64_t seed) {
    for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
         i < count;
         i += gridDim.x * static_cast<std::uint64_t>(blockDim.x)) {
        keys[i] =
            static_cast<Key>(mix_bits(seed + i * 0x9e3779b97f4a7c15ULL) >> (64 - sizeof(Key) * 8));
    }
}

/// Counts neighbours whose order is wrong: by the largest key first, ties by value where stable.
__global__ void disorder_kernel(std::uint32_t const* labels,
                                std::uint32_t const* values,
                                std::uint64_t count,
                                unsigned long long* wrong) {
    for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x + 1;
         i < count;
         i += gridDim.x * static_cast<std::uint64_t>(blockDim.x)) {
        bool const bad =
            labels[i - 1] > labels[i] ||
            (values != nullptr && labels[i - 1] == labels[i] && values[i - 1] >= values[i]);
        if (bad) {
            atomicAdd(wrong, 1ULL);
        }
    }
}

/// Order-independent digest of keys, so that nothing lost or doubled passes.
template <class Key>
__global__ void sum_kernel(Key const* keys, std::uint64_t count, unsigned long long* sum) {
    unsigned long long own = 0;
    for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
         i < count;
         i += gridDim.x * static_cast<std::uint64_t>(blockDim.x)) {
        own += mix_bits(keys[i] + 1ULL);
    }
    atomicAdd(sum, own);
}

template <class Key>
__global__ void
differences_kernel(Key const* a, Key const* b, std::uint64_t count, unsigned long long* wrong) {
    for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
         i < count;
         i += gridDim.x * static_cast<std::uint64_t>(blockDim.x)) {
        if (a[i] != b[i]) {
            atomicAdd(wrong, 1ULL);
        }
    }
}

constexpr unsigned grid = 132 * 8;

unsigned long long read(DeviceBuffer<unsigned long long> const& word) {
    unsigned long long value = 0;
    KEYSWAP_CUDA(cudaMemcpy(&value, word.data(), sizeof(value), cudaMemcpyDeviceToHost));
    return value;
}

template <class Act>
unsigned long long counted(Act const& act) {
    DeviceBuffer<unsigned long long> word{0, 1};
    KEYSWAP_CUDA(cudaMemset(word.data(), 0, sizeof(unsigned long long)));
    act(word.data());
    KEYSWAP_CUDA(cudaGetLastError());
    return read(word);
}

double median_ms(std::function<void()> const& act) {
    cudaEvent_t begin = nullptr;
    cudaEvent_t end = nullptr;
    KEYSWAP_CUDA(cudaEventCreate(&begin));
    KEYSWAP_CUDA(cudaEventCreate(&end));
    std::vector<float> times;
    for (int run = 0; run < runs + 1; ++run) {
        KEYSWAP_CUDA(cudaEventRecord(begin));
        act();
        KEYSWAP_CUDA(cudaEventRecord(end));
        KEYSWAP_CUDA(cudaEventSynchronize(end));
        float ms = 0;
        KEYSWAP_CUDA(cudaEventElapsedTime(&ms, begin, end));
        if (run > 0) {
            times.push_back(ms);
        }
    }
    std::ranges::sort(times);
    return times[times.size() / 2];
}

void row(char const* what,
         std::uint32_t buckets,
         char const* rule,
         std::uint64_t n,
         double ms,
         char const* remark) {
    std::printf("%-16s %5u %-10s %8.3f ms %8.1f Gkeys/s  %s\n",
                what,
                buckets,
                rule,
                ms,
                static_cast<double>(n) / ms / 1e6,
                remark);
    std::fflush(stdout);
}

template <class Key>
struct LowBit {
    __device__ bool operator()(Key key) const { return key >> (sizeof(Key) * 8 - 1) == 0; }
};

/// Values are indices where there are any.
template <class Key>
void measure(std::uint64_t n, bool with_values) {
    DeviceBuffer<Key> in{0, n};
    DeviceBuffer<Key> out{0, n};
    DeviceBuffer<Key> reference{0, n};
    DeviceBuffer<std::uint32_t> values{0, with_values ? n : 1};
    DeviceBuffer<std::uint32_t> values_out{0, with_values ? n : 1};
    DeviceBuffer<std::uint64_t> starts{0, 65536};
    fill_kernel<<<grid, 512>>>(in.data(), n, 1);
    if (with_values) {
        std::vector<std::uint32_t> host(n);
        for (std::uint64_t i = 0; i < n; ++i) {
            host[i] = static_cast<std::uint32_t>(i);
        }
        KEYSWAP_CUDA(cudaMemcpy(values.data(), host.data(), n * 4, cudaMemcpyHostToDevice));
    }
    auto const input_sum =
        counted([&](auto* sum) { sum_kernel<<<grid, 512>>>(in.data(), n, sum); });
    std::printf("-- %zu-byte keys%s, n = %llu\n",
                sizeof(Key),
                with_values ? " with 4-byte values" : "",
                static_cast<unsigned long long>(n));
    double const copy = median_ms([&] {
        KEYSWAP_CUDA(cudaMemcpyAsync(
            out.data(), in.data(), n * sizeof(Key), cudaMemcpyDeviceToDevice, nullptr));
    });
    std::printf("copy: %.3f ms, %.2f TB/s read and written\n",
                copy,
                2.0 * static_cast<double>(n * sizeof(Key)) / copy / 1e9);

    constexpr int key_bits = sizeof(Key) * 8;
    for (int const bits : {1, 3, 5, 7, 8}) {
        std::uint32_t const m = 1U << bits;
        std::size_t temp_bytes = 0;
        int const begin = key_bits - bits;
        auto const cub_sort = [&](void* temp) {
            if (with_values) {
                KEYSWAP_CUDA(cub::DeviceRadixSort::SortPairs(temp,
                                                             temp_bytes,
                                                             in.data(),
                                                             reference.data(),
                                                             values.data(),
                                                             values_out.data(),
                                                             n,
                                                             begin,
                                                             key_bits));
            } else {
                KEYSWAP_CUDA(cub::DeviceRadixSort::SortKeys(
                    temp, temp_bytes, in.data(), reference.data(), n, begin, key_bits));
            }
        };
        cub_sort(nullptr);
        double cub_ms = 0;
        {
            DeviceBuffer<unsigned char> temp{0, temp_bytes};
            cub_ms = median_ms([&] { cub_sort(temp.data()); });
        }
        row("cub-radix", m, "digit", n, cub_ms, "");
        if (bits == 1 && !with_values) {
            std::size_t bytes = 0;
            DeviceBuffer<std::uint64_t> selected{0, 1};
            KEYSWAP_CUDA(cub::DevicePartition::If(
                nullptr, bytes, in.data(), out.data(), selected.data(), n, LowBit<Key>{}));
            DeviceBuffer<unsigned char> temp{0, bytes};
            double const ms = median_ms([&] {
                KEYSWAP_CUDA(cub::DevicePartition::If(
                    temp.data(), bytes, in.data(), out.data(), selected.data(), n, LowBit<Key>{}));
            });
            row("cub-partition", 2, "digit", n, ms, "second half reversed");
        }
        std::vector<std::pair<std::string, BucketFunction>> functions;
        functions.emplace_back("digit", BucketFunction{m, DigitBuckets{begin, bits}});
        std::uint64_t const width =
            key_bits == 64 ? (~std::uint64_t{0} >> bits) + 1 : (std::uint64_t{1} << key_bits) / m;
        functions.emplace_back("delta", BucketFunction{m, DeltaBuckets{{}, {0, width}}});
        // A width that is no power of two; the buckets are not CUB's digits.
        functions.emplace_back("delta*",
                               BucketFunction{m, DeltaBuckets{{0, 12345}, {0, width - 3}}});
        SplitterBuckets splitters;
        splitters.tie = Tie::right;
        for (std::uint32_t i = 1; i < m; ++i) {
            splitters.splitters.push_back({0, width * i});
        }
        functions.emplace_back("splitters", BucketFunction{m, splitters});
        for (auto const& [name, function] : functions) {
            for (MultisplitMethodInfo const& info : multisplit_methods()) {
                bool const slow = info.method != MultisplitMethod::fused &&
                                  info.method != MultisplitMethod::atomic &&
                                  info.method != MultisplitMethod::split1;
                if (slow && quick) {
                    continue;
                }
                if (m > info.buckets_max || (slow && name != "digit" && name != "splitters")) {
                    continue;
                }
                MultisplitOptions options;
                options.key_type = sizeof(Key) == 4 ? KeyType::u32 : KeyType::u64;
                options.value_type = with_values ? ValueType::bits32 : ValueType::none;
                options.function = function;
                options.method = info.method;
                auto splitter = Multisplitter::create(options, n);
                if (!splitter) {
                    continue;
                }
                MultisplitArrays arrays;
                arrays.keys_in = in.data();
                arrays.keys_out = out.data();
                arrays.values_in = values.data();
                arrays.values_out = values_out.data();
                arrays.starts = starts.data();
                KEYSWAP_CUDA(cudaMemset(out.data(), 0xee, n * sizeof(Key)));
                double const ms = median_ms([&] {
                    auto const done = splitter->split(arrays, n);
                    if (!done) {
                        std::printf("error: %s\n", done.error().message.c_str());
                        std::exit(1);
                    }
                });
                // All three functions make the same buckets, so that a stable result is CUB's.
                auto const wrong = info.stability == Stability::stable && name != "delta*"
                                       ? counted([&](auto* word) {
                                             differences_kernel<<<grid, 512>>>(
                                                 out.data(), reference.data(), n, word);
                                         })
                                       : counted([&](auto* sum) {
                                             sum_kernel<<<grid, 512>>>(out.data(), n, sum);
                                         }) - input_sum;
                char remark[64];
                std::snprintf(remark,
                              sizeof(remark),
                              "%.2f of CUB%s",
                              cub_ms / ms,
                              wrong == 0 ? "" : "   WRONG");
                row(std::string(info.name).c_str(), m, name.c_str(), n, ms, remark);
            }
        }
    }
}

float number_of_edge(double lower, double upper, int bins, int i) {
    return static_cast<float>(lower + i * (upper - lower) / bins);
}

__global__ void fill_floats_kernel(float* samples, std::uint64_t count) {
    for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
         i < count;
         i += gridDim.x * static_cast<std::uint64_t>(blockDim.x)) {
        samples[i] =
            static_cast<float>(mix_bits(i * 0x9e3779b97f4a7c15ULL) >> 40) * 0x1p-24F * 1024.0F;
    }
}

void measure_histograms(std::uint64_t n) {
    DeviceBuffer<float> samples{0, n};
    fill_floats_kernel<<<grid, 512>>>(samples.data(), n);
    std::printf("-- histograms of f32 in [0, 1024), n = %llu\n",
                static_cast<unsigned long long>(n));
    for (int const bins : {2, 32, 256, 2048}) {
        std::vector<float> levels;
        std::vector<KeyImage> edges;
        for (int i = 0; i <= bins; ++i) {
            levels.push_back(number_of_edge(0, 1024, bins, i));
            std::uint32_t raw = 0;
            std::memcpy(&raw, &levels.back(), 4);
            edges.push_back({0, encode_image(raw, image_code(KeyType::f32, Direction::ascending))});
        }
        DeviceBuffer<float> device_levels{0, levels.size()};
        KEYSWAP_CUDA(cudaMemcpy(
            device_levels.data(), levels.data(), levels.size() * 4, cudaMemcpyHostToDevice));
        DeviceBuffer<unsigned> cub_counts{0, static_cast<std::size_t>(bins)};
        DeviceBuffer<std::uint64_t> counts{0, static_cast<std::size_t>(bins)};
        for (BinSpacing const spacing : {BinSpacing::even, BinSpacing::range}) {
            bool const even = spacing == BinSpacing::even;
            std::size_t bytes = 0;
            auto const cub_count = [&](void* temp) {
                KEYSWAP_CUDA(cudaMemsetAsync(cub_counts.data(), 0, bins * 4, nullptr));
                if (even) {
                    KEYSWAP_CUDA(cub::DeviceHistogram::HistogramEven(temp,
                                                                     bytes,
                                                                     samples.data(),
                                                                     cub_counts.data(),
                                                                     bins + 1,
                                                                     0.0F,
                                                                     1024.0F,
                                                                     static_cast<std::int64_t>(n)));
                } else {
                    KEYSWAP_CUDA(
                        cub::DeviceHistogram::HistogramRange(temp,
                                                             bytes,
                                                             samples.data(),
                                                             cub_counts.data(),
                                                             bins + 1,
                                                             device_levels.data(),
                                                             static_cast<std::int64_t>(n)));
                }
            };
            cub_count(nullptr);
            DeviceBuffer<unsigned char> temp{0, bytes};
            double const cub_ms = median_ms([&] { cub_count(temp.data()); });
            HistogramOptions options;
            options.edges = edges;
            options.spacing = spacing;
            auto histogram = Histogram::create(options);
            double const ms = median_ms([&] {
                auto const done = histogram->count(samples.data(), n, counts.data());
                if (!done) {
                    std::printf("error: %s\n", done.error().message.c_str());
                    std::exit(1);
                }
            });
            std::vector<unsigned> theirs(static_cast<std::size_t>(bins));
            std::vector<std::uint64_t> ours(static_cast<std::size_t>(bins));
            KEYSWAP_CUDA(cudaMemcpy(
                theirs.data(), cub_counts.data(), theirs.size() * 4, cudaMemcpyDeviceToHost));
            KEYSWAP_CUDA(
                cudaMemcpy(ours.data(), counts.data(), ours.size() * 8, cudaMemcpyDeviceToHost));
            std::uint64_t different = 0;
            for (std::size_t i = 0; i < ours.size(); ++i) {
                different += ours[i] > theirs[i] ? ours[i] - theirs[i] : 0;
            }
            row(even ? "cub-even" : "cub-range",
                static_cast<std::uint32_t>(bins),
                "",
                n,
                cub_ms,
                "");
            char remark[96];
            std::snprintf(remark,
                          sizeof(remark),
                          "%.2f of CUB, %llu samples counted elsewhere",
                          cub_ms / ms,
                          static_cast<unsigned long long>(different));
            row(even ? "even" : "range", static_cast<std::uint32_t>(bins), "", n, ms, remark);
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    std::uint64_t const n = std::uint64_t{1} << (argc > 1 ? std::atoi(argv[1]) : 28);
    quick = argc > 2;
    cudaDeviceProp properties{};
    KEYSWAP_CUDA(cudaGetDeviceProperties(&properties, 0));
    std::printf("%s\n", properties.name);
    measure_histograms(n);
    measure<std::uint32_t>(n, false);
    measure<std::uint32_t>(n, true);
    measure<std::uint64_t>(n / 2, false);
    return 0;
}
