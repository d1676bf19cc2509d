#include "kernels/primitives/radix_sort/radix_sort_impl.cuh"
#include "kernels/primitives/radix_sort/radix_sort_widths.hpp"

namespace keyswap::kernels::radix_sort_detail {

int run_u32(cudaStream_t stream,
            int value_bytes,
            SortBuffers const& buffers,
            std::uint64_t count,
            BitWindow window,
            void* temp,
            std::size_t& temp_bytes) {
    return run_by_value<std::uint32_t>(
        stream, value_bytes, buffers, count, window, temp, temp_bytes);
}

} // namespace keyswap::kernels::radix_sort_detail
