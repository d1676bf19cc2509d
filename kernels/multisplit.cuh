#pragma once

/// \file Multisplit by a user-defined bucket function, for code that nvcc compiles. Source: GPU
/// Multisplit (Ashkiani, Davidson, Meyer, Owens, TOPC 2017), which allows any function from a key
/// to 0 .. m - 1. The function is called once per key; keys are then moved by the stored labels.

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/device_buffer.hpp"
#include "kernels/multisplit.hpp"
#include "traces/errors/try.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace keyswap::kernels {

namespace multisplit_detail {

template <class Key, class Label, class BucketOf>
__global__ void
label_kernel(Key const* keys, std::uint64_t count, BucketOf bucket_of, Label* labels) {
    std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
    for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
         i < count;
         i += stride) {
        labels[i] = static_cast<Label>(bucket_of(keys[i]));
    }
}

/// Queues the labelling of every key. \return error of the launch
template <class Key, class Label, class BucketOf>
cudaError_t launch_labels(Key const* keys,
                          std::uint64_t count,
                          BucketOf const& bucket_of,
                          Label* labels,
                          cudaStream_t stream) {
    if (count == 0) {
        return cudaSuccess;
    }
    constexpr unsigned threads = 256;
    constexpr std::uint64_t blocks_max = 65'536;
    auto const blocks =
        static_cast<unsigned>(std::min<std::uint64_t>((count + threads - 1) / threads, blocks_max));
    label_kernel<<<blocks, threads, 0, stream>>>(keys, count, bucket_of, labels);
    return cudaGetLastError();
}

template <std::size_t bytes>
constexpr ValueType value_type_of() {
    static_assert(bytes == 0 || bytes == 4 || bytes == 8,
                  "values have 4 or 8 bytes; move wider ones by an index");
    return bytes == 0 ? ValueType::none : bytes == 4 ? ValueType::bits32 : ValueType::bits64;
}

} // namespace multisplit_detail

/// Value type of a multisplit without values.
struct KeysOnly {};

/// A stable multisplit by `bucket_of`, for up to `count_max` keys per call.
/// \tparam Key any trivially copyable type of 4 or 8 bytes; keys are moved, never compared
/// \tparam Value like Key, or KeysOnly
/// \tparam BucketOf callable on the device: Key -> integer below m
template <class Key, class Value, class BucketOf>
class FunctorMultisplit {
    static constexpr std::size_t value_bytes = std::is_same_v<Value, KeysOnly> ? 0 : sizeof(Value);
    static_assert(sizeof(Key) == 4 || sizeof(Key) == 8, "keys have 4 or 8 bytes");
    static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>);
    using Label = std::uint16_t;

  public:
    /// Allocates all memory for later calls on the current device.
    /// \param buckets m, 1 to 65,536
    /// \param method nullopt: the fastest stable method for m buckets
    [[nodiscard]] static SortExpected<FunctorMultisplit>
    create(std::uint32_t buckets,
           std::uint64_t count_max,
           BucketOf bucket_of,
           std::optional<MultisplitMethod> method = std::nullopt) {
        MultisplitOptions options;
        options.key_type = sizeof(Key) == 4 ? KeyType::u32 : KeyType::u64;
        options.value_type = multisplit_detail::value_type_of<value_bytes>();
        options.function = {buckets, LabelBuckets{}};
        options.method = method;
        if (cudaGetDevice(&options.device) != cudaSuccess) {
            return tl::unexpected(SortError{SortErrorCode::no_such_device, "there is no device"});
        }
        KEYSWAP_TRY(auto splitter, Multisplitter::create(options, count_max));
        try {
            return FunctorMultisplit(std::move(splitter),
                                     DeviceBuffer<Label>(options.device, count_max),
                                     std::move(bucket_of));
        } catch (CudaFailure const& failure) {
            return tl::unexpected(SortError{SortErrorCode::out_of_device_memory, failure.what()});
        }
    }

    /// Queues the multisplit and returns without waiting. Outputs must not overlap inputs.
    /// \param keys_in, keys_out, values_in, values_out [count] device; values null for KeysOnly
    /// \param starts [m] device: first position of each bucket
    [[nodiscard]] SortExpected<void> operator()(Key const* keys_in,
                                                Key* keys_out,
                                                Value const* values_in,
                                                Value* values_out,
                                                std::uint64_t count,
                                                std::uint64_t* starts,
                                                cudaStream_t stream = nullptr) {
        if (count > labels_.size()) {
            return tl::unexpected(SortError{SortErrorCode::invalid_option,
                                            std::to_string(count) + " keys are more than the " +
                                                std::to_string(labels_.size()) +
                                                " that memory was allocated for"});
        }
        if (cudaError_t const code = multisplit_detail::launch_labels(
                keys_in, count, bucket_of_, labels_.data(), stream);
            code != cudaSuccess) {
            return tl::unexpected(
                SortError{SortErrorCode::device_failure, cudaGetErrorString(code)});
        }
        MultisplitArrays arrays;
        arrays.keys_in = keys_in;
        arrays.keys_out = keys_out;
        arrays.values_in = values_in;
        arrays.values_out = values_out;
        arrays.labels = labels_.data();
        arrays.label_bytes = sizeof(Label);
        arrays.starts = starts;
        arrays.stream = stream;
        return splitter_.split(arrays, count);
    }

  private:
    FunctorMultisplit(Multisplitter splitter, DeviceBuffer<Label> labels, BucketOf bucket_of)
        : splitter_(std::move(splitter)), labels_(std::move(labels)),
          bucket_of_(std::move(bucket_of)) {}

    Multisplitter splitter_;
    DeviceBuffer<Label> labels_;
    BucketOf bucket_of_;
};

} // namespace keyswap::kernels
