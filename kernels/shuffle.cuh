#pragma once

/// \file Shuffle by a user-defined bucket function, for code that nvcc compiles: see shuffle.hpp.
/// The GPU that holds a key calls the function once for it; keys are moved by the stored labels.

#include "kernels/multisplit.cuh"
#include "kernels/shuffle.hpp"
#include "traces/errors/try.hpp"

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::kernels {

/// A shuffle by `bucket_of` of up to chunk_max keys per GPU.
/// \tparam Key any trivially copyable type of 4 or 8 bytes; keys are moved, never compared
/// \tparam Value like Key, or KeysOnly
/// \tparam BucketOf callable on the device: Key -> integer below m
template <class Key, class Value, class BucketOf>
class FunctorShuffle {
    static constexpr std::size_t value_bytes = std::is_same_v<Value, KeysOnly> ? 0 : sizeof(Value);
    static_assert(sizeof(Key) == 4 || sizeof(Key) == 8, "keys have 4 or 8 bytes");
    static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>);
    using Label = std::uint16_t;

  public:
    /// Allocates all memory for later calls.
    /// \param buckets m, 1 to 65,536
    /// \param devices device number of each GPU in order; repeated numbers are virtual GPUs
    /// \param chunk_max keys of a GPU before the exchange
    /// \param owners [m] GPU of each bucket; empty: bucket b belongs to GPU floor(b g / m)
    [[nodiscard]] static SortExpected<FunctorShuffle>
    create(std::uint32_t buckets,
           std::vector<int> devices,
           std::uint64_t chunk_max,
           BucketOf bucket_of,
           std::vector<std::uint32_t> owners = {}) {
        ShuffleOptions options;
        options.key_type = sizeof(Key) == 4 ? KeyType::u32 : KeyType::u64;
        options.value_type = multisplit_detail::value_type_of<value_bytes>();
        options.function = {buckets, LabelBuckets{}};
        options.devices = std::move(devices);
        options.owners = std::move(owners);
        KEYSWAP_TRY(auto shuffler, Shuffler::create(options, chunk_max));
        try {
            std::vector<DeviceBuffer<Label>> labels;
            for (int const device : options.devices) {
                labels.emplace_back(device, chunk_max);
            }
            return FunctorShuffle(std::move(shuffler),
                                  std::move(options.devices),
                                  std::move(labels),
                                  std::move(bucket_of));
        } catch (CudaFailure const& failure) {
            return tl::unexpected(SortError{SortErrorCode::out_of_device_memory, failure.what()});
        }
    }

    /// Shuffles and waits for the result. Ignores the labels of `chunks`.
    /// \param chunks [g]
    [[nodiscard]] SortExpected<ShuffleReport> operator()(std::vector<ShuffleChunk> chunks,
                                                         PhaseTiming timing = PhaseTiming::off) {
        for (std::size_t i = 0; i < chunks.size() && i < labels_.size(); ++i) {
            ShuffleChunk& chunk = chunks[i];
            if (chunk.count > labels_[i].size()) {
                break; // the shuffler returns the error
            }
            chunk.labels = labels_[i].data();
            chunk.label_bytes = sizeof(Label);
            if (cudaError_t const code = label(i, chunk); code != cudaSuccess) {
                return tl::unexpected(
                    SortError{SortErrorCode::device_failure, cudaGetErrorString(code)});
            }
        }
        return shuffler_.shuffle(chunks, timing);
    }

  private:
    FunctorShuffle(Shuffler shuffler,
                   std::vector<int> devices,
                   std::vector<DeviceBuffer<Label>> labels,
                   BucketOf bucket_of)
        : shuffler_(std::move(shuffler)), devices_(std::move(devices)), labels_(std::move(labels)),
          bucket_of_(std::move(bucket_of)) {}

    /// Queues the labels of a chunk in its stream.
    cudaError_t label(std::size_t gpu, ShuffleChunk const& chunk) {
        int previous = 0;
        cudaError_t code = cudaGetDevice(&previous);
        if (code == cudaSuccess) {
            code = cudaSetDevice(devices_[gpu]);
        }
        if (code == cudaSuccess) {
            code = multisplit_detail::launch_labels(static_cast<Key const*>(chunk.keys_in),
                                                    chunk.count,
                                                    bucket_of_,
                                                    labels_[gpu].data(),
                                                    static_cast<cudaStream_t>(chunk.stream));
            static_cast<void>(cudaSetDevice(previous));
        }
        return code;
    }

    Shuffler shuffler_;
    std::vector<int> devices_;
    std::vector<DeviceBuffer<Label>> labels_;
    BucketOf bucket_of_;
};

} // namespace keyswap::kernels
