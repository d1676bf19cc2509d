#include "kernels/device/cuda_check.hpp"
#include "kernels/primitives/radix_sort/radix_policy.hpp"
#include "kernels/primitives/radix_sort/radix_sort_widths.hpp"
#include "traces/errors/contracts.hpp"

#include <cub/device/dispatch/dispatch_radix_sort.cuh>

/// \file CUB's radix sort with other policies than its own, through CUB's policy interface.

namespace keyswap::kernels::radix_sort_detail {

namespace {

using Offset = std::uint32_t;

/// CUB's policies for Hopper with other numbers of threads and items.
template <class Key, class Value, int threads, int items>
struct TunedPolicies {
    using Usual = typename cub::detail::radix::policy_hub<Key, Value, Offset>::Policy900;

    struct MaxPolicy : cub::ChainedPolicy<900, MaxPolicy, MaxPolicy> {
        static constexpr bool ONESWEEP = true;
        static constexpr int ONESWEEP_RADIX_BITS = 8;
        using OnesweepPolicy =
            cub::AgentRadixSortOnesweepPolicy<threads,
                                              items,
                                              Key,
                                              1,
                                              cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY,
                                              cub::BLOCK_SCAN_RAKING_MEMOIZE,
                                              cub::RADIX_SORT_STORE_DIRECT,
                                              ONESWEEP_RADIX_BITS>;
        using HistogramPolicy = typename Usual::HistogramPolicy;
        using ExclusiveSumPolicy = typename Usual::ExclusiveSumPolicy;
        using ScanPolicy = typename Usual::ScanPolicy;
        using DownsweepPolicy = typename Usual::DownsweepPolicy;
        using AltDownsweepPolicy = typename Usual::AltDownsweepPolicy;
        using UpsweepPolicy = typename Usual::UpsweepPolicy;
        using AltUpsweepPolicy = typename Usual::AltUpsweepPolicy;
        using SingleTilePolicy = typename Usual::SingleTilePolicy;
        using SegmentedPolicy = typename Usual::SegmentedPolicy;
        using AltSegmentedPolicy = typename Usual::AltSegmentedPolicy;
    };
};

template <class Value, int threads, int items>
int run_with(Call const& call) {
    using Key = std::uint32_t;
    SortBuffers const& buffers = call.buffers;
    int const current = buffers.current;
    cub::DoubleBuffer<Key> keys{static_cast<Key*>(buffers.keys[current]),
                                static_cast<Key*>(buffers.keys[1 - current])};
    cub::DoubleBuffer<Value> values;
    if constexpr (!std::is_same_v<Value, cub::NullType>) {
        values = {static_cast<Value*>(buffers.values[current]),
                  static_cast<Value*>(buffers.values[1 - current])};
    }
    using Dispatch = cub::DispatchRadixSort<cub::SortOrder::Ascending,
                                            Key,
                                            Value,
                                            Offset,
                                            cub::detail::identity_decomposer_t,
                                            TunedPolicies<Key, Value, threads, items>>;
    KEYSWAP_CUDA(Dispatch::Dispatch(call.temp,
                                    call.temp_bytes,
                                    keys,
                                    values,
                                    static_cast<Offset>(call.count),
                                    call.window.begin,
                                    call.window.end,
                                    true,
                                    call.stream));
    return keys.selector == 0 ? current : 1 - current;
}

} // namespace

/// The fastest of seven policies that an external run tried on an H200 (FIGURES.md). The one for
/// u64 was slower than CUB's own here.
int run_tuned(Call const& call) {
    KEYSWAP_EXPECTS(has_tuned_policy({4, call.value_bytes}));
    return call.value_bytes == 0 ? run_with<cub::NullType, 512, 21>(call)
                                 : run_with<std::uint32_t, 448, 20>(call);
}

} // namespace keyswap::kernels::radix_sort_detail
