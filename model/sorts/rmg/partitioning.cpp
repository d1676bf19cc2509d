#include "model/sorts/rmg/partitioning.hpp"

#include "model/sorts/rmg/placement.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <iterator>

namespace keyswap::model {

namespace {

PlacementState state_of(GpuSpan span, bool single_valued) {
    if (span.first == span.last) {
        return PlacementState::placed;
    }
    return single_valued ? PlacementState::cut : PlacementState::spanning;
}

} // namespace

void place_children(Chunks const& chunks,
                    std::uint64_t tolerance,
                    IndexRange range,
                    std::uint32_t histogram_index,
                    std::function<ChildBucket(std::uint32_t)> const& child_of,
                    PassPlan& pass) {
    BucketHistogram const& histogram = pass.histograms[histogram_index];
    std::vector<std::uint64_t> const total = histogram.total();
    std::uint64_t begin = range.begin;
    for (std::uint32_t column = 0; column < histogram.digit_count(); ++column) {
        if (total[column] == 0) {
            continue;
        }
        std::uint64_t const end = begin + total[column];
        GpuSpan const span = place_bucket(chunks, {begin, end}, tolerance);
        ChildBucket const child = child_of(column);
        PlacementState const state = state_of(span, child.single_valued);
        pass.buckets.push_back(
            {{child.bucket, begin, end, span.first, span.last, state}, histogram_index, column});
        begin = end;
    }
    KEYSWAP_ENSURES(begin == range.end);
}

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
        place_children(
            chunks,
            tolerance,
            {spanning[i].placement.begin, spanning[i].placement.end},
            i,
            [&](std::uint32_t digit) {
                return ChildBucket{layout.child(prefixes[i], digit),
                                   pass.pass == layout.pass_count()};
            },
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
