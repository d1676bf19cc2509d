#include "kernels/primitives/leaves/leaf_sort_impl.cuh"

namespace keyswap::kernels::leaf_sort_detail {

template void sort_leaves<std::uint32_t>(std::span<cudaStream_t const>, LeafSort const&);
template void build_trees<std::uint32_t>(cudaStream_t, SegmentTrees const&);

} // namespace keyswap::kernels::leaf_sort_detail
