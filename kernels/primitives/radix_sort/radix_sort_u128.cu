#include "kernels/primitives/radix_sort/radix_sort_impl.cuh"
#include "kernels/primitives/radix_sort/radix_sort_widths.hpp"

namespace keyswap::kernels::radix_sort_detail {

int run_u128(cudaStream_t stream,
             SortBuffers const& buffers,
             std::uint64_t count,
             BitWindow window,
             void* temp,
             std::size_t& temp_bytes) {
    return run<WideImage, std::uint8_t>(stream, buffers, count, window, temp, temp_bytes);
}

} // namespace keyswap::kernels::radix_sort_detail
