// Sorts of CCCL other than the radix sort of cub_sort.cu, with the interface of `keyswap record`,
// one function each, for all key types; `tools/scripts/survey` runs them.

#include <cstdint>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cuda/version>
#include <string>
#include <string_view>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/sort.h>

namespace {

/// Return values, which `keyswap record` shows.
enum Outcome { sorted = 0, unknown_type = 1, cuda_failed = 2 };

struct Below {
    template <class Key>
    __device__ bool operator()(Key const& a, Key const& b) const {
        return a < b;
    }
};

/// Copies the keys to the GPU, sorts them by `sort`, and copies them back.
template <class Key, class Sort>
Outcome sort_on_gpu(void* keys, std::uint64_t count, Sort const& sort) {
    auto* const first = static_cast<Key*>(keys);
    thrust::device_vector<Key> on_gpu(first, first + count);
    if (!sort(on_gpu) || cudaDeviceSynchronize() != cudaSuccess) {
        return cuda_failed;
    }
    thrust::copy(on_gpu.begin(), on_gpu.end(), first);
    return sorted;
}

template <class Sort>
int with_type(void* keys, std::uint64_t count, std::string_view type, Sort const& sort) {
    if (type == "u32") {
        return sort_on_gpu<std::uint32_t>(keys, count, sort);
    }
    if (type == "u64") {
        return sort_on_gpu<std::uint64_t>(keys, count, sort);
    }
    if (type == "i32") {
        return sort_on_gpu<std::int32_t>(keys, count, sort);
    }
    if (type == "i64") {
        return sort_on_gpu<std::int64_t>(keys, count, sort);
    }
    if (type == "f32") {
        return sort_on_gpu<float>(keys, count, sort);
    }
    return type == "f64" ? sort_on_gpu<double>(keys, count, sort) : unknown_type;
}

/// Calls CUB twice: for the size of its temporary memory, then to sort.
template <class Call>
bool run_with_temporary(Call const& call) {
    std::size_t bytes = 0;
    if (call(nullptr, bytes) != cudaSuccess) {
        return false;
    }
    thrust::device_vector<unsigned char> temporary(bytes);
    return call(thrust::raw_pointer_cast(temporary.data()), bytes) == cudaSuccess;
}

} // namespace

extern "C" {

int cub_merge_sort(void* keys, std::uint64_t count, char const* type) {
    return with_type(keys, count, type, [](auto& on_gpu) {
        return run_with_temporary([&](void* memory, std::size_t& bytes) {
            return cub::DeviceMergeSort::SortKeys(
                memory, bytes, thrust::raw_pointer_cast(on_gpu.data()), on_gpu.size(), Below{});
        });
    });
}

/// A segmented sort whose only segment is the whole array.
int cub_segmented_sort(void* keys, std::uint64_t count, char const* type) {
    return with_type(keys, count, type, [](auto& on_gpu) {
        auto result = on_gpu;
        thrust::device_vector<std::int64_t> borders(2);
        borders[1] = static_cast<std::int64_t>(on_gpu.size());
        auto const* const offsets = thrust::raw_pointer_cast(borders.data());
        bool const done = run_with_temporary([&](void* memory, std::size_t& bytes) {
            return cub::DeviceSegmentedSort::SortKeys(memory,
                                                      bytes,
                                                      thrust::raw_pointer_cast(on_gpu.data()),
                                                      thrust::raw_pointer_cast(result.data()),
                                                      static_cast<std::int64_t>(on_gpu.size()),
                                                      std::int64_t{1},
                                                      offsets,
                                                      offsets + 1);
        });
        on_gpu = result;
        return done;
    });
}

int thrust_sort(void* keys, std::uint64_t count, char const* type) {
    return with_type(keys, count, type, [](auto& on_gpu) {
        thrust::sort(on_gpu.begin(), on_gpu.end());
        return true;
    });
}

/// Sorts keys with 4-byte values.
int thrust_stable_sort_by_function(
    void* keys, std::uint64_t count, char const* type, void* values, std::uint64_t value_bytes) {
    if (value_bytes != 0 && value_bytes != sizeof(std::uint32_t)) {
        return unknown_type;
    }
    auto* const first = static_cast<std::uint32_t*>(values);
    thrust::device_vector<std::uint32_t> moved(first, first + (value_bytes == 0 ? 0 : count));
    int const outcome = with_type(keys, count, type, [&](auto& on_gpu) {
        if (value_bytes == 0) {
            thrust::stable_sort(on_gpu.begin(), on_gpu.end(), Below{});
        } else {
            thrust::stable_sort_by_key(on_gpu.begin(), on_gpu.end(), moved.begin(), Below{});
        }
        return true;
    });
    thrust::copy(moved.begin(), moved.end(), first);
    return outcome;
}

char const* versions() {
    static std::string const text = "CCCL " + std::to_string(CCCL_MAJOR_VERSION) + "." +
                                    std::to_string(CCCL_MINOR_VERSION) + "." +
                                    std::to_string(CCCL_PATCH_VERSION);
    return text.c_str();
}

} // extern "C"
