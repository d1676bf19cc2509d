#include "kernels/bench/tuned_radix_sort.hpp"
#include "kernels/device/cuda_check.hpp"
#include "traces/errors/contracts.hpp"

#include <cub/device/dispatch/dispatch_radix_sort.cuh>

namespace keyswap::kernels {

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

/// Calls CUB; with temp == nullptr it only returns the temporary size.
struct Call {
    cudaStream_t stream;
    SortBuffers const& buffers;
    std::uint64_t count;
    void* temp;
    std::size_t& temp_bytes;
};

template <class Key, class Value, int threads, int items>
int run(Call const& call) {
    int const current = call.buffers.current;
    cub::DoubleBuffer<Key> keys{static_cast<Key*>(call.buffers.keys[current]),
                                static_cast<Key*>(call.buffers.keys[1 - current])};
    cub::DoubleBuffer<Value> values;
    if constexpr (!std::is_same_v<Value, cub::NullType>) {
        values = {static_cast<Value*>(call.buffers.values[current]),
                  static_cast<Value*>(call.buffers.values[1 - current])};
    }
    using Dispatch = cub::DispatchRadixSort<cub::SortOrder::Ascending,
                                            Key,
                                            Value,
                                            Offset,
                                            cub::detail::identity_decomposer_t,
                                            TunedPolicies<Key, Value, threads, items>>;
    constexpr int bits = 8 * static_cast<int>(sizeof(Key));
    KEYSWAP_CUDA(Dispatch::Dispatch(call.temp,
                                    call.temp_bytes,
                                    keys,
                                    values,
                                    static_cast<Offset>(call.count),
                                    0,
                                    bits,
                                    true,
                                    call.stream));
    return keys.selector == 0 ? current : 1 - current;
}

using Run = int (*)(Call const&);

/// The fastest of seven policies that an external run tried on an H200 (FIGURES.md). The one for
/// u64 was slower than CUB's own here.
Run tuned_run(ElementShape shape) {
    if (shape.key_bytes == 4 && shape.value_bytes == 0) {
        return run<std::uint32_t, cub::NullType, 512, 21>;
    }
    KEYSWAP_EXPECTS(shape.key_bytes == 4 && shape.value_bytes == 4);
    return run<std::uint32_t, std::uint32_t, 448, 20>;
}

} // namespace

std::size_t tuned_radix_sort_temp_bytes(ElementShape shape, std::uint64_t count) {
    std::size_t bytes = 0;
    SortBuffers const none{};
    tuned_run(shape)({nullptr, none, count, nullptr, bytes});
    return std::max<std::size_t>(bytes, 1);
}

int launch_tuned_radix_sort(cudaStream_t stream,
                            ElementShape shape,
                            SortBuffers const& buffers,
                            std::uint64_t count,
                            void* temp,
                            std::size_t temp_bytes) {
    return tuned_run(shape)({stream, buffers, count, temp, temp_bytes});
}

} // namespace keyswap::kernels
