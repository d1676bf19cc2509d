#include "kernels/cpu/merge_kernels.hpp"

#include "kernels/cpu/scalar_merge.hpp"

namespace keyswap::kernels {

#if defined(KEYSWAP_WITH_HIGHWAY)
MergeKernels<std::uint32_t> network_kernels(std::uint32_t word); // merge_network.cpp
MergeKernels<std::uint64_t> network_kernels(std::uint64_t word);
std::string network_target();
#endif

namespace {

template <class Word>
void sort_columns_plainly(std::span<Word const> from, std::span<Word> to) {
    sort_columns_scalar(ConstElements<Word, NoValue>{from, {}},
                        ElementArrays<Word, NoValue>{to, {}});
}

template <class Word>
void merge_plainly(std::span<Word const> first, std::span<Word const> second, std::span<Word> to) {
    merge_scalar<Word, NoValue>({first, {}}, {second, {}}, {to, {}});
}

} // namespace

std::string simd_target([[maybe_unused]] SimdUse use) {
#if defined(KEYSWAP_WITH_HIGHWAY)
    if (use == SimdUse::best) {
        return network_target();
    }
#endif
    return "scalar";
}

template <class Word>
MergeKernels<Word> merge_kernels([[maybe_unused]] SimdUse use) {
#if defined(KEYSWAP_WITH_HIGHWAY)
    if (use == SimdUse::best) {
        return network_kernels(Word{});
    }
#endif
    return {sort_columns_plainly<Word>, merge_plainly<Word>};
}

template MergeKernels<std::uint32_t> merge_kernels(SimdUse);
template MergeKernels<std::uint64_t> merge_kernels(SimdUse);

} // namespace keyswap::kernels
