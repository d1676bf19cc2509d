#pragma once

/// \file The elements of a measured sort on the GPUs: made anew before each run, and looked at
/// after it by other means than the sort's own.

#include "kernels/bench/benchmark.hpp"
#include "kernels/device/device_buffer.hpp"
#include "kernels/device/key_image.hpp"
#include "kernels/primitives/radix_sort.hpp"

#include <vector>

namespace keyswap::kernels {

/// Adds up the digest and looks at the order of ranges of elements on GPUs that are given in the
/// order in which they should be sorted.
class SortedRangeCheck {
  public:
    SortedRangeCheck(ElementShape shape, ImageCode code) : shape_(shape), code_(code) {}

    /// Waits for the range's device. \param keys, values device memory of `device`, raw keys
    void add(int device, void const* keys, void const* values, std::uint64_t count);
    [[nodiscard]] bool in_order() const { return in_order_; }
    [[nodiscard]] MultisetDigest digest() const { return digest_; }
    /// Of the first and the last element; 0 where there is none.
    [[nodiscard]] WideImage first_image() const { return first_image_; }
    [[nodiscard]] WideImage last_image() const { return last_image_; }

  private:
    [[nodiscard]] WideImage image_at(void const* keys, std::uint64_t index) const;

    ElementShape shape_;
    ImageCode code_;
    bool in_order_ = true;
    bool is_empty_ = true;
    WideImage first_image_ = 0;
    WideImage last_image_ = 0;
    MultisetDigest digest_;
};

/// Makes `count` elements from `first` on in device memory of the current device.
void make_bench_elements(
    BenchJob const& job, std::uint64_t first, std::uint64_t count, void* keys, void* values);

/// Two places for keys and values on each GPU.
class BenchChunks {
  public:
    /// \param capacity keys of a place
    BenchChunks(BenchJob const& job, std::uint64_t capacity);

    [[nodiscard]] std::vector<DeviceChunk> const& chunks() const { return chunks_; }
    void fill() const;
    /// Digest of all elements as they lie before a sort.
    [[nodiscard]] MultisetDigest digest_before() const;
    /// What a sort left.
    [[nodiscard]] SortedRangeCheck check(std::vector<SortedChunk> const& sorted) const;

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
