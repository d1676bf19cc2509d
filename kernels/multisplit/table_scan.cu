#include "kernels/device/cuda_check.hpp"
#include "kernels/faults/device_faults.hpp"
#include "kernels/multisplit/split_kernels.hpp"

#include <cub/device/device_scan.cuh>

namespace keyswap::kernels {

namespace {

constexpr unsigned starts_threads = 256;

__global__ void __launch_bounds__(starts_threads) table_starts_kernel(std::uint32_t const* table,
                                                                      std::uint64_t subproblems,
                                                                      std::uint32_t buckets,
                                                                      std::uint64_t* starts) {
    std::uint32_t const bucket = blockIdx.x * starts_threads + threadIdx.x;
    if (bucket < buckets) {
        starts[bucket] = table[bucket * subproblems];
    }
}

/// Size of the table, padded to 256 bytes; CUB's temporary memory follows it.
std::size_t table_bytes(std::uint64_t entries) {
    return (entries * sizeof(std::uint32_t) + 255) / 256 * 256;
}

} // namespace

std::size_t table_scan_bytes(std::uint64_t entries) {
    std::size_t bytes = 0;
    std::uint32_t* const none = nullptr;
    KEYSWAP_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, none, none, entries));
    return table_bytes(entries) + bytes;
}

void launch_table_scan(cudaStream_t stream,
                       std::uint64_t entries,
                       void* scratch,
                       std::size_t scratch_bytes) {
    auto* const table = static_cast<std::uint32_t*>(scratch);
    std::size_t temp_bytes = scratch_bytes - table_bytes(entries);
    void* const temp = static_cast<unsigned char*>(scratch) + table_bytes(entries);
    KEYSWAP_CUDA(
        has_fault(DeviceFault::scan_inclusive)
            ? cub::DeviceScan::InclusiveSum(temp, temp_bytes, table, table, entries, stream)
            : cub::DeviceScan::ExclusiveSum(temp, temp_bytes, table, table, entries, stream));
}

void launch_table_starts(cudaStream_t stream,
                         std::uint32_t const* table,
                         std::uint64_t subproblems,
                         std::uint32_t buckets,
                         std::uint64_t* starts) {
    unsigned const blocks = (buckets + starts_threads - 1) / starts_threads;
    table_starts_kernel<<<blocks, starts_threads, 0, stream>>>(table, subproblems, buckets, starts);
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
