#include "model/sorts/merge/chunk_ranks.hpp"

#include "traces/errors/contracts.hpp"

#include <numeric>
#include <span>

namespace keyswap::model {

ChunkRanks::ChunkRanks(Chunks const& chunks, DigitLayout const& layout, KeySource& source)
    : chunks_(chunks), layout_(layout), source_(source) {
    KEYSWAP_EXPECTS(chunks.key_count() == source.key_count());
}

std::uint64_t ChunkRanks::count_below(GpuId gpu, BucketPrefix prefix) {
    std::uint64_t below = 0;
    while (prefix.pass > 0) {
        int const bits = layout_.bits_of(prefix.pass);
        BucketPrefix const parent{prefix.pass - 1, prefix.prefix >> bits};
        auto const digit =
            static_cast<std::uint32_t>(prefix.prefix & (layout_.digit_count(prefix.pass) - 1));
        auto const smaller = histogram(parent).of(gpu).first(digit);
        below = std::accumulate(smaller.begin(), smaller.end(), below);
        prefix = parent;
    }
    return below;
}

BucketHistogram const& ChunkRanks::histogram(BucketPrefix bucket) {
    auto known = histograms_.find(bucket);
    if (known == histograms_.end()) {
        auto counted = source_.histograms(chunks_, layout_, std::span(&bucket, 1));
        KEYSWAP_ENSURES(counted.size() == 1);
        known = histograms_.emplace(bucket, std::move(counted.front())).first;
    }
    return known->second;
}

} // namespace keyswap::model
