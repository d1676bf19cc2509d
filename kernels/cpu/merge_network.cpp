// Compiled once per instruction set that Highway supports here; the last part only once.
#include "kernels/cpu/merge_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/merge_network.cpp"
#include <hwy/foreach_target.h> // comes before highway.h

#include "kernels/cpu/merge_network-inl.hpp"

#if HWY_ONCE

namespace keyswap::kernels {

namespace {

HWY_EXPORT(sort_columns_u32);
HWY_EXPORT(sort_columns_u64);
HWY_EXPORT(merge_u32);
HWY_EXPORT(merge_u64);
HWY_EXPORT(this_target);

} // namespace

MergeKernels<std::uint32_t> network_kernels(std::uint32_t /*word*/) {
    return {[](auto from, auto to) {
                HWY_DYNAMIC_DISPATCH(sort_columns_u32)
                (from, to);
            },
            [](auto first, auto second, auto to) {
                HWY_DYNAMIC_DISPATCH(merge_u32)(first, second, to);
            }};
}

MergeKernels<std::uint64_t> network_kernels(std::uint64_t /*word*/) {
    return {[](auto from, auto to) {
                HWY_DYNAMIC_DISPATCH(sort_columns_u64)
                (from, to);
            },
            [](auto first, auto second, auto to) {
                HWY_DYNAMIC_DISPATCH(merge_u64)(first, second, to);
            }};
}

std::string network_target() {
    return hwy::TargetName(HWY_DYNAMIC_DISPATCH(this_target)());
}

} // namespace keyswap::kernels

#endif
