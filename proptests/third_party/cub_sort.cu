// CUB's radix sort on one GPU with the interface of `keyswap record`: all key types, values of 4 or
// 8 bytes, from host memory to host memory.

#include <cub/device/device_radix_sort.cuh>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace {

/// Return values of sort(), which `keyswap record` shows.
enum Outcome { sorted = 0, unknown_type = 1, cuda_failed = 2 };

struct FreeOnDevice {
    void operator()(void* memory) const { static_cast<void>(cudaFree(memory)); }
};
using DeviceMemory = std::unique_ptr<void, FreeOnDevice>;

/// A device allocation; null on failure.
DeviceMemory allocate(std::size_t bytes) {
    void* memory = nullptr;
    return DeviceMemory(cudaMalloc(&memory, bytes) == cudaSuccess ? memory : nullptr);
}

/// Double buffer of an array, whose first buffer holds the input.
template <class T>
struct Buffers {
    explicit Buffers(void const* host, std::uint64_t count)
        : first(allocate(count * sizeof(T))), second(allocate(count * sizeof(T))),
          ready(first && second &&
                cudaMemcpy(first.get(), host, count * sizeof(T), cudaMemcpyHostToDevice) ==
                    cudaSuccess),
          current(static_cast<T*>(first.get()), static_cast<T*>(second.get())) {}

    [[nodiscard]] bool copy_back(void* host, std::uint64_t count) {
        return cudaMemcpy(host, current.Current(), count * sizeof(T), cudaMemcpyDeviceToHost) ==
               cudaSuccess;
    }

    DeviceMemory first;
    DeviceMemory second;
    bool ready;
    cub::DoubleBuffer<T> current;
};

/// Calls CUB twice: for the size of its temporary memory, then to sort.
template <class Call>
bool run_with_temporary(Call const& call) {
    std::size_t bytes = 0;
    if (call(nullptr, bytes) != cudaSuccess) {
        return false;
    }
    DeviceMemory const temporary = allocate(bytes);
    return temporary && call(temporary.get(), bytes) == cudaSuccess;
}

template <class Key>
Outcome sort_keys(void* keys, std::uint64_t count) {
    Buffers<Key> buffers(keys, count);
    bool const done =
        buffers.ready && run_with_temporary([&](void* memory, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortKeys(memory, bytes, buffers.current, count);
        });
    return done && buffers.copy_back(keys, count) ? sorted : cuda_failed;
}

template <class Key, class Value>
Outcome sort_pairs(void* keys, void* values, std::uint64_t count) {
    Buffers<Key> key_buffers(keys, count);
    Buffers<Value> value_buffers(values, count);
    bool const done = key_buffers.ready && value_buffers.ready &&
                      run_with_temporary([&](void* memory, std::size_t& bytes) {
                          return cub::DeviceRadixSort::SortPairs(
                              memory, bytes, key_buffers.current, value_buffers.current, count);
                      });
    return done && key_buffers.copy_back(keys, count) && value_buffers.copy_back(values, count)
               ? sorted
               : cuda_failed;
}

template <class Key>
Outcome sort_as(void* keys, std::uint64_t count, void* values, std::uint64_t value_bytes) {
    switch (value_bytes) {
    case 0:
        return sort_keys<Key>(keys, count);
    case sizeof(std::uint32_t):
        return sort_pairs<Key, std::uint32_t>(keys, values, count);
    case sizeof(std::uint64_t):
        return sort_pairs<Key, std::uint64_t>(keys, values, count);
    default:
        return unknown_type;
    }
}

Outcome sort_by_type(std::string_view type,
                     void* keys,
                     std::uint64_t count,
                     void* values,
                     std::uint64_t value_bytes) {
    if (type == "u32") {
        return sort_as<std::uint32_t>(keys, count, values, value_bytes);
    }
    if (type == "u64") {
        return sort_as<std::uint64_t>(keys, count, values, value_bytes);
    }
    if (type == "i32") {
        return sort_as<std::int32_t>(keys, count, values, value_bytes);
    }
    if (type == "i64") {
        return sort_as<std::int64_t>(keys, count, values, value_bytes);
    }
    if (type == "f32") {
        return sort_as<float>(keys, count, values, value_bytes);
    }
    return type == "f64" ? sort_as<double>(keys, count, values, value_bytes) : unknown_type;
}

} // namespace

extern "C" int sort(void* keys,
                    std::uint64_t count,
                    char const* key_type,
                    void* values,
                    std::uint64_t value_bytes) {
    return count == 0 ? sorted : sort_by_type(key_type, keys, count, values, value_bytes);
}
