#include "kernels/primitives/leaves/leaf_sort_impl.cuh"

namespace keyswap::kernels::leaf_sort_detail {

void leaves_u64(cudaStream_t stream,
                int value_bytes,
                Stability ties,
                ChildTable const& table,
                ChildKinds const& kinds,
                LeafArrays const& arrays) {
    start_leaves<std::uint64_t>(stream, value_bytes, ties, table, kinds, arrays);
}

void trees_u64(cudaStream_t stream,
               StepBuffers keys,
               SplitSegments const& segments,
               TreeShape const& shape,
               void* trees,
               std::uint8_t* one_value) {
    start_trees<std::uint64_t>(stream, keys, segments, shape, trees, one_value);
}

} // namespace keyswap::kernels::leaf_sort_detail
