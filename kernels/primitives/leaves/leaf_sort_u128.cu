#include "kernels/primitives/leaves/leaf_sort_impl.cuh"

namespace keyswap::kernels::leaf_sort_detail {

void leaves_u128(std::span<cudaStream_t const> streams,
                 int value_bytes,
                 ChildTable const& table,
                 ChildKinds const& kinds,
                 LeafArrays const& arrays) {
    merge_leaves<WideImage>(streams, value_bytes, table, kinds, arrays);
}

void trees_u128(cudaStream_t stream,
                StepBuffers keys,
                SplitSegments const& segments,
                TreeShape const& shape,
                void* trees,
                std::uint8_t* one_value) {
    start_trees<WideImage>(stream, keys, segments, shape, trees, one_value);
}

} // namespace keyswap::kernels::leaf_sort_detail
