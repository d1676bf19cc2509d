#pragma once

/// \file Helpers for measurements of single calls: times by events, and counters of differences.

#include "kernels/device/stream.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::kernels {

inline constexpr unsigned bench_blocks = 1056; ///< 8 per multiprocessor of an H200
inline constexpr unsigned bench_threads = 512;

/// Calls act(i) for every i below count, distributed over all threads of the grid.
template <class Act>
__device__ void for_each_index(std::uint64_t count, Act act) {
    std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
    for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
         i < count;
         i += stride) {
        act(i);
    }
}

/// Milliseconds of each run; a preceding warm-up run is excluded.
template <class Act>
std::vector<double> timed_ms(int device, int runs, Act const& act) {
    Event const begin{device, EventTiming::on};
    Event const end{device, EventTiming::on};
    std::vector<double> times;
    for (int run = 0; run < runs + 1; ++run) {
        begin.record(nullptr);
        act();
        end.record(nullptr);
        KEYSWAP_CUDA(cudaEventSynchronize(end.get()));
        if (run > 0) {
            times.push_back(end.milliseconds_since(begin));
        }
    }
    return times;
}

/// Sum that the kernels launched by `act` add to a word on the device.
template <class Act>
std::uint64_t counted(int device, Act const& act) {
    DeviceBuffer<unsigned long long> const word{device, 1};
    KEYSWAP_CUDA(cudaMemset(word.data(), 0, sizeof(unsigned long long)));
    act(word.data());
    KEYSWAP_CUDA(cudaGetLastError());
    unsigned long long value = 0;
    KEYSWAP_CUDA(cudaMemcpy(&value, word.data(), sizeof(value), cudaMemcpyDeviceToHost));
    return value;
}

} // namespace keyswap::kernels
