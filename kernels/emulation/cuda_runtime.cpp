/// \file The CUDA runtime functions that drivers call, implemented on host memory: two devices
/// whose streams execute work immediately. Allocated memory is filled with garbage, as a device's
/// may be.

#include "kernels/emulation/peer_bytes.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

using keyswap::kernels::emulation::PeerAccess;

namespace {

constexpr int device_count = 2;
constexpr std::size_t alignment = 256;

cudaError_t allocate(void** memory, std::size_t bytes) {
    std::size_t const whole = (bytes + alignment - 1) / alignment * alignment;
    *memory = std::aligned_alloc(alignment, whole);
    if (*memory == nullptr) {
        return cudaErrorMemoryAllocation;
    }
    std::memset(*memory, 0xa5, whole);
    return cudaSuccess;
}

std::mutex allocations_mutex;
/// Device memory: sizes in bytes by address.
std::map<std::byte*, std::size_t, std::less<>> allocations;

/// Finds the allocation of an address, as the driver's function of this name does.
CUresult get_address_range(CUdeviceptr* begin, std::size_t* bytes, CUdeviceptr address) {
    std::lock_guard const lock{allocations_mutex};
    auto const after = allocations.upper_bound(reinterpret_cast<std::byte*>(address));
    if (after == allocations.begin()) {
        return CUDA_ERROR_NOT_FOUND;
    }
    auto const [data, size] = *std::prev(after);
    *begin = reinterpret_cast<CUdeviceptr>(data);
    *bytes = size;
    return address < *begin + size ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

cudaError_t release(void* memory) {
    std::free(memory);
    return cudaSuccess;
}

cudaError_t copy(void* destination, void const* source, std::size_t bytes) {
    if (bytes > 0) {
        std::memmove(destination, source, bytes);
    }
    return cudaSuccess;
}

cudaError_t fill(void* memory, int value, std::size_t bytes) {
    if (bytes > 0) {
        std::memset(memory, value, bytes);
    }
    return cudaSuccess;
}

thread_local int current_device = 0;

std::atomic<std::uint64_t> bytes_between_devices = 0;
std::atomic<int> mappings_open = 0;
thread_local PeerAccess peer_access = PeerAccess::possible;

struct EmulatedEvent {
    unsigned flags = 0;
    std::optional<std::chrono::steady_clock::time_point> recorded;
};

EmulatedEvent& emulated(cudaEvent_t event) {
    return *reinterpret_cast<EmulatedEvent*>(event);
}

} // namespace

namespace keyswap::kernels::emulation {

std::uint64_t peer_bytes() {
    return bytes_between_devices;
}

int open_mappings() {
    return mappings_open;
}

void set_peer_access(PeerAccess access) {
    peer_access = access;
}

} // namespace keyswap::kernels::emulation

extern "C" {

cudaError_t cudaGetDevice(int* device) {
    *device = current_device;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
    current_device = device;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
    *count = device_count;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int /*device*/) {
    std::memset(static_cast<void*>(properties), 0, sizeof(*properties));
    std::strcpy(properties->name, "emulated");
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr /*attribute*/, int /*device*/) {
    *value = 4;
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
    *available = *total = std::size_t{1} << 36;
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
    *version = 13000;
    return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int /*device*/, int /*peer*/) {
    *can = peer_access == PeerAccess::impossible ? 0 : 1;
    return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int /*peer*/, unsigned /*flags*/) {
    return peer_access == PeerAccess::exhausted ? cudaErrorTooManyPeers : cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
    return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
    cudaError_t const result = allocate(memory, bytes);
    if (result == cudaSuccess) {
        std::lock_guard const lock{allocations_mutex};
        allocations[static_cast<std::byte*>(*memory)] = bytes;
    }
    return result;
}
cudaError_t cudaFree(void* memory) {
    {
        std::lock_guard const lock{allocations_mutex};
        allocations.erase(static_cast<std::byte*>(memory));
    }
    return release(memory);
}
/// Handles hold the allocation's address, and null means that it cannot be opened.
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* memory) {
    std::memset(handle, 0, sizeof(*handle));
    std::memcpy(handle, &memory, sizeof(memory));
    return cudaSuccess;
}
cudaError_t cudaIpcOpenMemHandle(void** memory, cudaIpcMemHandle_t handle, unsigned /*flags*/) {
    std::memcpy(memory, &handle, sizeof(*memory));
    if (*memory == nullptr) {
        return cudaErrorInvalidValue;
    }
    ++mappings_open;
    return cudaSuccess;
}
cudaError_t cudaIpcCloseMemHandle(void* /*memory*/) {
    --mappings_open;
    return cudaSuccess;
}
cudaError_t cudaGetDriverEntryPointByVersion(char const* symbol,
                                             void** function,
                                             unsigned /*version*/,
                                             unsigned long long /*flags*/,
                                             cudaDriverEntryPointQueryResult* state) {
    bool const is_known = std::strcmp(symbol, "cuMemGetAddressRange") == 0;
    *function = is_known ? reinterpret_cast<void*>(&get_address_range) : nullptr;
    *state = is_known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned /*flags*/) {
    return allocate(memory, bytes);
}
cudaError_t cudaFreeHost(void* memory) {
    return release(memory);
}
cudaError_t cudaHostRegister(void* /*memory*/, std::size_t /*bytes*/, unsigned /*flags*/) {
    return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* /*memory*/) {
    return cudaSuccess;
}

cudaError_t
cudaMemcpy(void* destination, void const* source, std::size_t bytes, cudaMemcpyKind /*kind*/) {
    return copy(destination, source, bytes);
}
cudaError_t cudaMemcpyAsync(void* destination,
                            void const* source,
                            std::size_t bytes,
                            cudaMemcpyKind /*kind*/,
                            cudaStream_t /*stream*/) {
    return copy(destination, source, bytes);
}
cudaError_t cudaMemcpy2DAsync(void* destination,
                              std::size_t destination_pitch,
                              void const* source,
                              std::size_t source_pitch,
                              std::size_t width,
                              std::size_t height,
                              cudaMemcpyKind /*kind*/,
                              cudaStream_t /*stream*/) {
    for (std::size_t row = 0; row < height; ++row) {
        cudaError_t const result =
            copy(static_cast<std::byte*>(destination) + row * destination_pitch,
                 static_cast<std::byte const*>(source) + row * source_pitch,
                 width);
        if (result != cudaSuccess) {
            return result;
        }
    }
    return cudaSuccess;
}
cudaError_t cudaMemcpyPeerAsync(void* destination,
                                int /*destination_device*/,
                                void const* source,
                                int /*source_device*/,
                                std::size_t bytes,
                                cudaStream_t /*stream*/) {
    bytes_between_devices += bytes;
    return copy(destination, source, bytes);
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t /*stream*/) {
    return fill(memory, value, bytes);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    *least = 0;
    *greatest = -1;
    return cudaSuccess;
}
cudaError_t
cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned /*flags*/, int /*priority*/) {
    *stream = nullptr;
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t /*stream*/) {
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t /*stream*/) {
    return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t /*stream*/) {
    return cudaSuccess;
}
cudaError_t
cudaStreamWaitEvent(cudaStream_t /*stream*/, cudaEvent_t /*event*/, unsigned /*flags*/) {
    return cudaSuccess;
}
/// Host functions are only used for delays, which have no effect here.
cudaError_t
cudaLaunchHostFunc(cudaStream_t /*stream*/, cudaHostFn_t /*function*/, void* /*argument*/) {
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    *event = reinterpret_cast<cudaEvent_t>(new EmulatedEvent{flags, {}});
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete &emulated(event);
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t /*event*/) {
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t /*event*/) {
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t /*stream*/) {
    emulated(event).recorded = std::chrono::steady_clock::now();
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    EmulatedEvent const& from = emulated(begin);
    EmulatedEvent const& to = emulated(end);
    if (((from.flags | to.flags) & cudaEventDisableTiming) != 0 || !from.recorded || !to.recorded) {
        return cudaErrorInvalidResourceHandle;
    }
    *milliseconds = std::chrono::duration<float, std::milli>(*to.recorded - *from.recorded).count();
    return cudaSuccess;
}

cudaError_t cudaGetLastError() {
    return cudaSuccess;
}
char const* cudaGetErrorString(cudaError_t /*error*/) {
    return "emulated error";
}
char const* cudaGetErrorName(cudaError_t error) {
    return error == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "cudaErrorUnknown";
}
}
