#include "model/sorts/rmg/replay.hpp"

#include "model/keys/parallel.hpp"
#include "model/sorts/rmg/lsd_radix_sort.hpp"
#include "model/sorts/rmg/replay_digests.hpp"
#include "model/sorts/rmg/replay_key_swap.hpp"
#include "model/sorts/rmg/replay_partitioning.hpp"
#include "traces/errors/contracts.hpp"

namespace keyswap::model {

namespace {

/// Sorts each GPU's groups on the remaining bits. Source: RMG paper, section 3.3.
template <class Image, class Value>
void replay_bucket_sort(Plan const& plan,
                        KeyArrays<Image, Value> const& arrays,
                        KeyArrays<Image, Value> const& scratch) {
    parallel_for_each(plan.sort_groups, [&](SortGroup const& group) {
        std::uint64_t const begin = plan.ownership[group.gpu.value].base + group.offset;
        sort_low_bits(
            arrays.part(begin, group.count), scratch.part(begin, group.count), group.end_bit);
    });
}

} // namespace

template <class Image, class Value>
std::optional<Violation> replay_rmg_sort(Plan const& plan,
                                         KeyArrays<Image, Value> const& arrays,
                                         KeyArrays<Image, Value> const& scratch,
                                         TraceSink* sink) {
    KEYSWAP_EXPECTS(plan.counts == Counts::exact);
    KEYSWAP_EXPECTS(plan.config.key_count == arrays.size());
    KEYSWAP_EXPECTS(arrays.size() == scratch.size());
    if (auto violation = replay_partitioning(plan, arrays, scratch)) {
        return violation;
    }
    if (sink != nullptr) {
        record_digests_before_swap(plan, scratch, *sink);
    }
    replay_key_swap(plan, scratch, arrays);
    if (sink != nullptr) {
        record_digests_after_swap(plan, arrays, DigestStage::after_swap, *sink);
    }
    replay_bucket_sort(plan, arrays, scratch);
    return std::nullopt;
}

#define KEYSWAP_INSTANTIATE(Image, Value)                                                          \
    template std::optional<Violation> replay_rmg_sort(                                             \
        Plan const&, KeyArrays<Image, Value> const&, KeyArrays<Image, Value> const&, TraceSink*);
KEYSWAP_FOR_EACH_KEY_ARRAYS(KEYSWAP_INSTANTIATE)
#undef KEYSWAP_INSTANTIATE

} // namespace keyswap::model
