#include "kernels/bench/split_benchmark.hpp"
#include "kernels/bench/timed_kernels.cuh"
#include "kernels/device/cuda_error.hpp"
#include "kernels/device/key_image.hpp"
#include "kernels/histogram.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <bit>
#include <cub/device/device_histogram.cuh>

namespace keyswap::kernels {

namespace {

constexpr float range_end = 1024.0F;

/// Uniform samples in [0, 1024).
__global__ void samples_kernel(float* samples, std::uint64_t count) {
    for_each_index(count, [&](std::uint64_t i) {
        samples[i] =
            static_cast<float>(mix_bits(i * 0x9e3779b97f4a7c15ULL) >> 40) * 0x1p-24F * range_end;
    });
}

/// Reference: counts by binary search in the edges.
__global__ void plain_counts_kernel(float const* samples,
                                    std::uint64_t count,
                                    float const* edges,
                                    std::uint32_t bins,
                                    unsigned long long* counts) {
    for_each_index(count, [&](std::uint64_t i) {
        float const sample = samples[i];
        std::uint32_t low = 0; // last edge <= sample
        std::uint32_t high = bins;
        while (high - low > 1) {
            std::uint32_t const middle = low + (high - low) / 2;
            (edges[middle] <= sample ? low : high) = middle;
        }
        atomicAdd(&counts[low], 1ULL);
    });
}

class HistogramBench {
  public:
    explicit HistogramBench(SplitBenchJob const& job)
        : job_(job), bins_(job.buckets), samples_(job.devices.front(), job.key_count),
          edges_(job.devices.front(), bins_ + 1), expected_(bins_) {
        samples_kernel<<<bench_blocks, bench_threads>>>(samples_.data(), job.key_count);
        KEYSWAP_CUDA(cudaGetLastError());
        for (std::uint32_t i = 0; i <= bins_; ++i) {
            host_edges_.push_back(static_cast<float>(i * static_cast<double>(range_end) / bins_));
        }
        KEYSWAP_CUDA(cudaMemcpy(edges_.data(),
                                host_edges_.data(),
                                host_edges_.size() * sizeof(float),
                                cudaMemcpyHostToDevice));
        DeviceBuffer<unsigned long long> const counts{job.devices.front(), bins_};
        KEYSWAP_CUDA(cudaMemset(counts.data(), 0, bins_ * sizeof(unsigned long long)));
        plain_counts_kernel<<<bench_blocks, bench_threads>>>(
            samples_.data(), job.key_count, edges_.data(), bins_, counts.data());
        KEYSWAP_CUDA(cudaGetLastError());
        KEYSWAP_CUDA(cudaMemcpy(expected_.data(),
                                counts.data(),
                                bins_ * sizeof(unsigned long long),
                                cudaMemcpyDeviceToHost));
    }

    SortExpected<std::vector<SplitBenchRow>> run() const {
        std::vector<SplitBenchRow> rows;
        for (BinSpacing const spacing : {BinSpacing::even, BinSpacing::range}) {
            rows.push_back(measure_cub(spacing));
            KEYSWAP_TRY(auto row, measure(spacing));
            row.peer_ms = rows.back().median();
            row.elsewhere = rows.back().elsewhere;
            rows.push_back(std::move(row));
        }
        return rows;
    }

  private:
    static char const* name_of(BinSpacing spacing) {
        return spacing == BinSpacing::even ? "even" : "range";
    }

    /// Number of samples counted in another bin than in the reference.
    template <class Count>
    [[nodiscard]] std::uint64_t differences(DeviceBuffer<Count> const& counts) const {
        std::vector<Count> host(bins_);
        KEYSWAP_CUDA(
            cudaMemcpy(host.data(), counts.data(), bins_ * sizeof(Count), cudaMemcpyDeviceToHost));
        std::uint64_t different = 0;
        for (std::uint32_t bin = 0; bin < bins_; ++bin) {
            std::uint64_t const count = host[bin];
            different += count > expected_[bin] ? count - expected_[bin] : expected_[bin] - count;
        }
        return different;
    }

    [[nodiscard]] SplitBenchRow measure_cub(BinSpacing spacing) const {
        auto const samples = static_cast<std::int64_t>(job_.key_count);
        auto const levels = static_cast<int>(bins_ + 1);
        DeviceBuffer<unsigned> const counts{job_.devices.front(), bins_};
        std::size_t bytes = 0;
        auto const count = [&](void* temp) {
            KEYSWAP_CUDA(spacing == BinSpacing::even
                             ? cub::DeviceHistogram::HistogramEven(temp,
                                                                   bytes,
                                                                   samples_.data(),
                                                                   counts.data(),
                                                                   levels,
                                                                   0.0F,
                                                                   range_end,
                                                                   samples)
                             : cub::DeviceHistogram::HistogramRange(temp,
                                                                    bytes,
                                                                    samples_.data(),
                                                                    counts.data(),
                                                                    levels,
                                                                    edges_.data(),
                                                                    samples));
        };
        count(nullptr);
        DeviceBuffer<unsigned char> const temp{job_.devices.front(), bytes};
        SplitBenchRow row;
        row.name = spacing == BinSpacing::even ? "cub-even" : "cub-range";
        row.rule = name_of(spacing);
        row.milliseconds = timed_ms(job_.devices.front(), job_.runs, [&] { count(temp.data()); });
        // Even bins use CUB's own arithmetic: samples close to an edge may fall on its other side.
        std::uint64_t const different = differences(counts);
        (spacing == BinSpacing::even ? row.elsewhere : row.wrong) = different;
        return row;
    }

    [[nodiscard]] SortExpected<SplitBenchRow> measure(BinSpacing spacing) const {
        HistogramOptions options;
        options.spacing = spacing;
        options.device = job_.devices.front();
        for (float const edge : host_edges_) {
            options.edges.push_back({0,
                                     encode_image(std::bit_cast<std::uint32_t>(edge),
                                                  image_code(KeyType::f32, Direction::ascending))});
        }
        KEYSWAP_TRY(auto histogram, Histogram::create(options));
        DeviceBuffer<std::uint64_t> const counts{job_.devices.front(), bins_};
        SortExpected<void> done;
        SplitBenchRow row;
        row.name = name_of(spacing);
        row.rule = row.name;
        row.milliseconds = timed_ms(job_.devices.front(), job_.runs, [&] {
            if (done) {
                done = histogram.count(samples_.data(), job_.key_count, counts.data());
            }
        });
        KEYSWAP_RETURN_IF_ERROR(done);
        row.wrong = differences(counts);
        return row;
    }

    SplitBenchJob const& job_;
    std::uint32_t bins_;
    DeviceBuffer<float> samples_;
    DeviceBuffer<float> edges_;
    std::vector<float> host_edges_;
    std::vector<unsigned long long> expected_; ///< [bins]
};

} // namespace

SortExpected<std::vector<SplitBenchRow>> bench_histogram(SplitBenchJob const& job) {
    return guarded([&] {
        DeviceScope const scope{job.devices.front()};
        return HistogramBench(job).run();
    });
}

} // namespace keyswap::kernels
