#include "model/partitioning.hpp"

#include "model/placement.hpp"
#include "traces/contracts.hpp"

#include <algorithm>
#include <iterator>

namespace keyswap::model {

namespace {

PlacementState state_of(GpuSpan span, bool last_pass) {
    if (span.first == span.last) {
        return PlacementState::placed;
    }
    return last_pass ? PlacementState::cut : PlacementState::spanning;
}

/// Places the non-empty sub-buckets of one refined bucket, whose keys start at global index
/// `begin` of the sorted order.
void place_sub_buckets(Chunks const& chunks,
                       DigitLayout const& layout,
                       std::uint64_t tolerance,
                       IndexRange bucket,
                       std::uint32_t histogram_index,
                       PassPlan& pass) {
    BucketHistogram const& histogram = pass.histograms[histogram_index];
    std::vector<std::uint64_t> const total = histogram.total();
    std::uint64_t begin = bucket.begin;
    for (std::uint32_t digit = 0; digit < histogram.digit_count(); ++digit) {
        if (total[digit] == 0) {
            continue;
        }
        std::uint64_t const end = begin + total[digit];
        GpuSpan const span = place_bucket(chunks, {begin, end}, tolerance);
        PlacementState const state = state_of(span, pass.pass == layout.pass_count());
        pass.buckets.push_back(
            {{layout.child(histogram.bucket(), digit), begin, end, span.first, span.last, state},
             histogram_index,
             digit});
        begin = end;
    }
    KEYSWAP_ENSURES(begin == bucket.end);
}

} // namespace

PassPlan plan_pass(Chunks const& chunks,
                   DigitLayout const& layout,
                   std::uint64_t tolerance,
                   std::span<PlannedBucket const> spanning,
                   KeySource& source) {
    KEYSWAP_EXPECTS(!spanning.empty());
    std::vector<BucketPrefix> prefixes;
    prefixes.reserve(spanning.size());
    std::ranges::transform(spanning, std::back_inserter(prefixes), [](PlannedBucket const& bucket) {
        return bucket.placement.bucket;
    });
    PassPlan pass;
    pass.pass = prefixes.front().pass + 1;
    pass.histograms = source.histograms(chunks, layout, prefixes);
    KEYSWAP_ENSURES(pass.histograms.size() == spanning.size());
    for (std::uint32_t i = 0; i < spanning.size(); ++i) {
        KEYSWAP_ENSURES(pass.histograms[i].bucket() == prefixes[i]);
        place_sub_buckets(chunks,
                          layout,
                          tolerance,
                          {spanning[i].placement.begin, spanning[i].placement.end},
                          i,
                          pass);
    }
    return pass;
}

std::vector<PlannedBucket> spanning_buckets(PassPlan const& pass) {
    std::vector<PlannedBucket> spanning;
    std::ranges::copy_if(
        pass.buckets, std::back_inserter(spanning), [](PlannedBucket const& bucket) {
            return bucket.placement.state == PlacementState::spanning;
        });
    return spanning;
}

PlannedBucket whole_input(Chunks const& chunks) {
    KEYSWAP_EXPECTS(chunks.key_count() > 0);
    GpuId const last = chunks.owner_of(chunks.key_count() - 1);
    return {
        {BucketPrefix{}, 0, chunks.key_count(), GpuId{0}, last, PlacementState::spanning}, 0, 0};
}

} // namespace keyswap::model
