#include "tools/bench/cpu_peers.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>

#if defined(_OPENMP) && defined(__GLIBCXX__)
#include <omp.h>
#include <parallel/algorithm>
#endif
#if defined(KEYSWAP_WITH_BOOST_SORT)
#include <boost/sort/block_indirect_sort/block_indirect_sort.hpp>
#include <boost/sort/spreadsort/spreadsort.hpp>
#endif
#if defined(KEYSWAP_WITH_VQSORT)
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>
#endif

namespace keyswap::tools {

namespace {

struct Tbb {
    template <class Word>
    static void sort(std::span<Word> keys, unsigned threads) {
        tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, threads);
        tbb::parallel_sort(keys.begin(), keys.end());
    }
};

#if defined(_OPENMP) && defined(__GLIBCXX__)
struct GnuParallel {
    template <class Word>
    static void sort(std::span<Word> keys, unsigned threads) {
        omp_set_num_threads(static_cast<int>(threads));
        __gnu_parallel::sort(keys.begin(), keys.end());
    }
};
#endif

#if defined(KEYSWAP_WITH_BOOST_SORT)
struct BlockIndirect {
    template <class Word>
    static void sort(std::span<Word> keys, unsigned threads) {
        boost::sort::block_indirect_sort(keys.begin(), keys.end(), threads);
    }
};
struct Spreadsort {
    template <class Word>
    static void sort(std::span<Word> keys, unsigned /*threads*/) {
        boost::sort::spreadsort::integer_sort(keys.begin(), keys.end());
    }
};
#endif

#if defined(KEYSWAP_WITH_VQSORT)
struct Vqsort {
    template <class Word>
    static void sort(std::span<Word> keys, unsigned /*threads*/) {
        hwy::Sorter()(keys.data(), keys.size(), hwy::SortAscending());
    }
};
/// Without AVX-512, since some processors implement its compress-store in microcode.
struct VqsortAvx2 {
    template <class Word>
    static void sort(std::span<Word> keys, unsigned threads) {
        hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        Vqsort::sort(keys, threads);
        hwy::DisableTargets(0);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
};
#endif

template <class Sort>
CpuPeer peer(std::string_view name, bool uses_threads) {
    return {
        name, uses_threads, Sort::template sort<std::uint32_t>, Sort::template sort<std::uint64_t>};
}

} // namespace

std::vector<CpuPeer> cpu_peers() {
    return {
        peer<Tbb>("tbb", true),
#if defined(_OPENMP) && defined(__GLIBCXX__)
            peer<GnuParallel>("gnu-parallel", true),
#endif
#if defined(KEYSWAP_WITH_BOOST_SORT)
            peer<BlockIndirect>("block-indirect", true), peer<Spreadsort>("spreadsort", false),
#endif
#if defined(KEYSWAP_WITH_VQSORT)
            peer<Vqsort>("vqsort", false), peer<VqsortAvx2>("vqsort-avx2", false),
#endif
    };
}

} // namespace keyswap::tools
