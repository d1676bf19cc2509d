#include "model/buckets/row_pool.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/records/digest.hpp"

#include <algorithm>

namespace keyswap::model {

RowPool::RowPool(std::span<BucketPrefix const> buckets,
                 std::uint32_t gpu_count,
                 std::uint32_t digit_count)
    : digit_count_(digit_count), known_rows_(buckets.size()) {
    histograms_.reserve(buckets.size());
    for (BucketPrefix const bucket : buckets) {
        histograms_.emplace_back(bucket, gpu_count, digit_count);
    }
}

void RowPool::take_rows(GpuId gpu, std::span<std::uint64_t> counters) {
    KEYSWAP_EXPECTS(counters.size() == histograms_.size() * digit_count_);
    for (std::size_t i = 0; i < histograms_.size(); ++i) {
        auto const row = counters.subspan(i * digit_count_, digit_count_);
        std::uint64_t hash = 0;
        std::uint64_t any = 0;
        for (std::uint64_t const count : row) {
            hash = hash * 0x9e3779b97f4a7c15ULL + count;
            any |= count;
        }
        if (any == 0) {
            continue; // every GPU starts with row 0, which is all zero
        }
        auto const [known, added] = known_rows_[i].try_emplace(mix_bits(hash), gpu);
        if (!added && std::ranges::equal(histograms_[i].of(known->second), row)) {
            histograms_[i].assign_row(gpu, histograms_[i].row_of(known->second));
        } else {
            histograms_[i].assign_row(gpu, histograms_[i].add_row(row));
        }
        std::ranges::fill(row, 0);
    }
}

void RowPool::copy_rows(GpuId from, GpuId to) {
    for (BucketHistogram& histogram : histograms_) {
        histogram.assign_row(to, histogram.row_of(from));
    }
}

} // namespace keyswap::model
