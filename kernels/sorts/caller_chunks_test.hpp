#pragma once

/// \file Chunks on GPUs for callers of Sorter::sort_in_place, uploaded from host memory and
/// downloaded again.

#include "kernels/device/device_buffer.hpp"
#include "kernels/device/stream.hpp"
#include "kernels/sort.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::kernels::gpu_test {

/// Two buffers per GPU for keys, and for values if the sorter has them, and a stream.
class CallerChunks {
  public:
    explicit CallerChunks(Sorter const& sorter)
        : key_bytes_(key_size_bytes(sorter.options().key_type)),
          value_bytes_(value_size_bytes(sorter.options().value_type)),
          capacity_(sorter.workspace().key_capacity), devices_(sorter.options().devices) {
        for (int const device : devices_) {
            for (int buffer = 0; buffer < 2; ++buffer) {
                keys_.emplace_back(device, capacity_ * key_bytes_);
                values_.emplace_back(device, capacity_ * value_bytes_);
            }
            streams_.emplace_back(device);
            std::size_t const last = keys_.size() - 1;
            chunks_.push_back({keys_[last - 1].data(),
                               keys_[last].data(),
                               values_[last - 1].data(),
                               values_[last].data(),
                               streams_.back().get()});
        }
    }

    [[nodiscard]] std::span<DeviceChunk const> chunks() const { return chunks_; }

    /// Uploads each GPU's share of the elements, in order. \throws CudaFailure
    void fill(Columns<void> host, std::uint64_t count) const {
        for_each_share(count, [&](DeviceChunk const& chunk, std::uint64_t begin, std::uint64_t n) {
            copy(chunk.keys, at(host.keys, key_bytes_, begin), n * key_bytes_);
            copy(chunk.values, at(host.values, value_bytes_, begin), n * value_bytes_);
            KEYSWAP_CUDA(cudaDeviceSynchronize()); // small copies may complete after the call
        });
    }

    /// Downloads the elements from where fill() put them. \throws CudaFailure
    void take_back(Columns<void> host, std::uint64_t count) const {
        for_each_share(count, [&](DeviceChunk const& chunk, std::uint64_t begin, std::uint64_t n) {
            copy(at(host.keys, key_bytes_, begin), chunk.keys, n * key_bytes_);
            copy(at(host.values, value_bytes_, begin), chunk.values, n * value_bytes_);
        });
    }

    /// Downloads the sorted elements. \returns false if a GPU's share has the wrong position or
    /// exceeds its buffers, or if the shares do not add up to `count` \throws CudaFailure
    [[nodiscard]] bool
    take(SortReport const& report, Columns<void> host, std::uint64_t count) const {
        std::uint64_t begin = 0;
        for (std::size_t gpu = 0; gpu < chunks_.size(); ++gpu) {
            SortedChunk const& sorted = report.chunks[gpu];
            if (sorted.base != begin || sorted.count > capacity_ || sorted.count > count - begin) {
                return false;
            }
            std::size_t const buffer = 2 * gpu + (sorted.in_alternate ? 1 : 0);
            copy(at(host.keys, key_bytes_, begin), keys_[buffer].data(), sorted.count * key_bytes_);
            copy(at(host.values, value_bytes_, begin),
                 values_[buffer].data(),
                 sorted.count * value_bytes_);
            begin += sorted.count;
        }
        return begin == count;
    }

  private:
    template <class Work>
    void for_each_share(std::uint64_t count, Work const& work) const {
        std::uint64_t const share = (count + chunks_.size() - 1) / chunks_.size();
        for (std::size_t gpu = 0; gpu < chunks_.size(); ++gpu) {
            DeviceScope const scope{devices_[gpu]};
            std::uint64_t const begin = std::min(count, gpu * share);
            work(chunks_[gpu], begin, std::min(share, count - begin));
        }
    }
    static void* at(void* elements, std::size_t element_bytes, std::uint64_t index) {
        return static_cast<std::byte*>(elements) + index * element_bytes;
    }
    static void copy(void* to, void const* from, std::size_t bytes) {
        if (bytes > 0) {
            KEYSWAP_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
        }
    }

    std::size_t key_bytes_;
    std::size_t value_bytes_;
    std::uint64_t capacity_;
    std::vector<int> devices_;
    std::vector<DeviceBuffer<std::byte>> keys_; ///< [2 g], current and alternate
    std::vector<DeviceBuffer<std::byte>> values_;
    std::vector<Stream> streams_;
    std::vector<DeviceChunk> chunks_;
};

} // namespace keyswap::kernels::gpu_test
