#include "model/ranks/rank_source.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <string>

namespace keyswap::model {

RankSource::RankSource(Communicator& ranks, KeySource& own, std::uint64_t key_count)
    : ranks_(ranks), own_(own), chunks_(key_count, ranks.size()), own_chunks_(own.key_count(), 1) {
    KEYSWAP_EXPECTS(own.key_count() == chunks_.of(GpuId{ranks.rank()}).size());
}

std::vector<BucketHistogram> RankSource::histograms(Chunks const& chunks,
                                                    DigitLayout const& layout,
                                                    std::span<BucketPrefix const> buckets) {
    KEYSWAP_EXPECTS(chunks.key_count() == key_count() && chunks.gpu_count() == ranks_.size());
    return gather(own_.histograms(own_chunks_, layout, buckets));
}

std::vector<BucketHistogram> RankSource::histograms(Chunks const& chunks,
                                                    std::span<RefinedBucket const> buckets,
                                                    std::uint32_t child_count) {
    KEYSWAP_EXPECTS(chunks.key_count() == key_count() && chunks.gpu_count() == ranks_.size());
    return gather(own_.histograms(own_chunks_, buckets, child_count));
}

std::vector<BucketHistogram> RankSource::gather(std::span<BucketHistogram const> own) {
    if (own.empty()) {
        return {};
    }
    std::size_t const digits = own.front().digit_count();
    std::vector<std::uint64_t> counts;
    counts.reserve(own.size() * digits);
    for (BucketHistogram const& histogram : own) {
        std::ranges::copy(histogram.of(GpuId{0}), std::back_inserter(counts));
    }
    std::string const step = "histograms of pass " + std::to_string(own.front().bucket().pass + 1);
    auto const all = all_gather<std::uint64_t>(ranks_, step, counts);
    std::vector<BucketHistogram> result;
    for (std::size_t i = 0; i < own.size(); ++i) {
        BucketHistogram& histogram =
            result.emplace_back(own[i].bucket(), ranks_.size(), own[i].digit_count());
        for (GpuId gpu{0}; gpu.value < ranks_.size(); ++gpu.value) {
            auto const row = std::span(all).subspan(gpu.value * counts.size() + i * digits, digits);
            histogram.assign_row(gpu, histogram.add_row(row));
        }
    }
    return result;
}

std::vector<uint128> RankSource::images_at(std::span<std::uint64_t const> positions) {
    std::uint32_t const size = ranks_.size();
    std::vector<std::vector<std::size_t>> asked(size); ///< [rank] requested positions in its chunk
    for (std::size_t i = 0; i < positions.size(); ++i) {
        asked[chunks_.owner_of(positions[i]).value].push_back(i);
    }
    std::uint64_t const begin = chunks_.of(GpuId{ranks_.rank()}).begin;
    std::vector<std::uint64_t> own_positions;
    for (std::size_t const i : asked[ranks_.rank()]) {
        own_positions.push_back(positions[i] - begin);
    }
    auto const own = own_.images_at(own_positions);
    std::vector<std::vector<uint128>> answers(size);
    std::vector<std::span<std::byte const>> const sends(size, std::as_bytes(std::span(own)));
    std::vector<std::span<std::byte>> receives;
    for (std::uint32_t rank = 0; rank < size; ++rank) {
        answers[rank].resize(asked[rank].size());
        receives.push_back(std::as_writable_bytes(std::span(answers[rank])));
    }
    ranks_.exchange("sample", sends, receives);
    std::vector<uint128> images(positions.size());
    for (std::uint32_t rank = 0; rank < size; ++rank) {
        for (std::size_t k = 0; k < asked[rank].size(); ++k) {
            images[asked[rank][k]] = answers[rank][k];
        }
    }
    return images;
}

} // namespace keyswap::model
