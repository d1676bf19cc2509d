#include "kernels/device/cuda_check.hpp"
#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/key_words.hpp"
#include "kernels/primitives/leaves/leaf_sort.hpp"
#include "kernels/primitives/leaves/leaf_sort_widths.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

constexpr int kind_threads = 256;

struct ClassSizes {
    std::uint32_t of_class[leaf_classes];
};

/// Index of the smallest class that fits `keys` keys; leaf_classes if none does.
__device__ std::uint32_t leaf_class_of(std::uint64_t keys, ClassSizes const& sizes) {
    std::uint64_t const extra = kernel_has_fault(DeviceFault::leaf_above_capacity) ? 1 : 0;
    std::uint32_t fits = 0;
    while (fits < leaf_classes && keys > sizes.of_class[fits] + extra) {
        ++fits;
    }
    bool const is_too_low = kernel_has_fault(DeviceFault::size_class_off_by_one) && fits > 0 &&
                            fits < leaf_classes &&
                            sizes.of_class[fits] == sizes.of_class[leaf_classes - 1];
    return is_too_low ? fits - 1 : fits;
}

/// A block counts its entries by class before it reserves positions in the lists: one atomic per
/// entry would take a nanosecond each, as they are serialized.
__global__ void __launch_bounds__(kind_threads)
    kind_kernel(ChildTable table, std::uint32_t count, ClassSizes sizes, ChildCursors cursors) {
    constexpr std::uint32_t lists = leaf_classes + 1; // the last one: too large for a leaf
    __shared__ std::uint32_t counts[lists];
    __shared__ std::uint32_t begins[lists];
    if (threadIdx.x < lists) {
        counts[threadIdx.x] = 0;
    }
    __syncthreads();
    std::uint32_t const entry = blockIdx.x * kind_threads + threadIdx.x;
    std::uint64_t const keys = entry < count ? table.counts[entry] : 0;
    std::uint32_t const list = leaf_class_of(keys, sizes);
    std::uint32_t const place = keys > 0 ? atomicAdd(&counts[list], 1U) : 0;
    __syncthreads();
    if (threadIdx.x < lists && counts[threadIdx.x] > 0) {
        std::uint32_t* const used =
            threadIdx.x < leaf_classes ? &table.kinds->leaves[threadIdx.x] : &table.kinds->large;
        begins[threadIdx.x] = atomicAdd(used, counts[threadIdx.x]);
    }
    __syncthreads();
    if (keys == 0) {
        return;
    }
    std::uint32_t const at = begins[list] + place;
    if (list < leaf_classes) {
        table.leaves[static_cast<std::uint64_t>(list) * table.entries + at] = entry;
        return;
    }
    std::uint64_t const cursor = table.ends[entry];
    std::uint64_t const begin = cursors == ChildCursors::at_begins ? cursor : cursor - keys;
    table.large[at] = {begin, keys, table.one_value[entry] != 0, entry};
}

/// Grid: segments; one thread per child.
__global__ void __launch_bounds__(1 << wide_step_bits) digit_child_kernel(DigitChildren children) {
    SegmentPart const part = children.parts[blockIdx.x];
    std::uint32_t const digit = threadIdx.x;
    std::uint64_t const at =
        (static_cast<std::uint64_t>(blockIdx.x) << children.digit_bits) + digit;
    std::uint32_t const begin = children.bins[at];
    std::uint64_t const end = digit + 1 < blockDim.x ? std::uint64_t{children.bins[at + 1]}
                              : kernel_has_fault(DeviceFault::last_digit_left)
                                  ? std::uint64_t{begin}
                                  : part.count;
    children.counts[at] = end - begin;
    children.ends[at] = part.destination + end;
    children.one_values[at] = part.digit.begin == 0 ? 1 : 0;
}

} // namespace

void launch_digit_children(cudaStream_t stream,
                           DigitChildren const& children,
                           std::uint32_t segment_count) {
    if (segment_count == 0) {
        return;
    }
    upload_active_fault();
    digit_child_kernel<<<segment_count, 1U << children.digit_bits, 0, stream>>>(children);
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_child_kinds(cudaStream_t stream,
                        LeafSizes const& sizes,
                        ChildTable const& table,
                        std::uint32_t count,
                        ChildCursors cursors) {
    upload_active_fault();
    KEYSWAP_CUDA(cudaMemsetAsync(table.kinds, 0, sizeof(ChildKinds), stream));
    if (count == 0) {
        return;
    }
    ClassSizes class_sizes{};
    std::ranges::copy(sizes, class_sizes.of_class);
    unsigned const blocks = (count + kind_threads - 1) / kind_threads;
    kind_kernel<<<blocks, kind_threads, 0, stream>>>(table, count, class_sizes, cursors);
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_leaf_sorts(std::span<cudaStream_t const> streams, LeafSort const& sort) {
    with_key_word(sort.shape.key_bytes,
                  [&]<class Key>() { leaf_sort_detail::sort_leaves<Key>(streams, sort); });
}

void launch_segment_trees(cudaStream_t stream, int key_bytes, SegmentTrees const& trees) {
    if (trees.segments.count > 0) {
        with_key_word(key_bytes,
                      [&]<class Key>() { leaf_sort_detail::build_trees<Key>(stream, trees); });
    }
}

} // namespace keyswap::kernels
