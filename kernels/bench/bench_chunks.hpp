#pragma once

/// \file The elements of a measured sort on the GPUs: generated before each run, and checked
/// afterwards by code that is independent of the sort.

#include "kernels/bench/bench_job.hpp"
#include "kernels/device/device_buffer.hpp"
#include "kernels/device_check.hpp"
#include "kernels/primitives/radix_sort/radix_sort.hpp"

#include <vector>

namespace keyswap::kernels {

/// Generates elements [first, first + count) in memory of the current device.
void make_bench_elements(
    BenchJob const& job, std::uint64_t first, std::uint64_t count, void* keys, void* values);

/// Two buffers for keys and values on each GPU.
class BenchChunks {
  public:
    /// \param capacity keys per buffer
    BenchChunks(BenchJob const& job, std::uint64_t capacity);

    [[nodiscard]] std::vector<DeviceChunk> const& chunks() const { return chunks_; }
    void fill() const;
    /// Summary of all elements before a sort.
    [[nodiscard]] SortExpected<SequenceSummary> summary_before() const;
    /// Summary of a sort's result.
    [[nodiscard]] SortExpected<SequenceSummary>
    summary_of(std::vector<SortedChunk> const& sorted) const;

  private:
    [[nodiscard]] std::uint64_t begin_of(std::size_t gpu) const;
    [[nodiscard]] std::uint64_t count_of(std::size_t gpu) const;

    BenchJob job_;
    ElementShape shape_;
    std::uint64_t chunk_size_;
    std::vector<DeviceBuffer<std::byte>> buffers_;
    std::vector<DeviceChunk> chunks_;
};

} // namespace keyswap::kernels
