#include "kernels/primitives/leaves/leaf_sort_impl.cuh"

namespace keyswap::kernels::leaf_sort_detail {

template void sort_leaves<WideImage>(std::span<cudaStream_t const>, LeafSort const&);
template void build_trees<WideImage>(cudaStream_t, SegmentTrees const&);

} // namespace keyswap::kernels::leaf_sort_detail
