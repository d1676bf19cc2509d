#include "model/buckets/bucket_histogram.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::model {

BucketHistogram::BucketHistogram(BucketPrefix bucket,
                                 std::uint32_t gpu_count,
                                 std::uint32_t digit_count)
    : bucket_(bucket), digit_count_(digit_count), row_of_gpu_(gpu_count, 0), rows_(digit_count, 0) {
    KEYSWAP_EXPECTS(digit_count > 0);
}

std::uint32_t BucketHistogram::add_row(std::span<std::uint64_t const> counts) {
    KEYSWAP_EXPECTS(counts.size() == digit_count_);
    rows_.insert(rows_.end(), counts.begin(), counts.end());
    return static_cast<std::uint32_t>(rows_.size() / digit_count_ - 1);
}

void BucketHistogram::assign_row(GpuId gpu, std::uint32_t row) {
    KEYSWAP_EXPECTS(gpu.value < row_of_gpu_.size());
    KEYSWAP_EXPECTS(std::size_t{row} * digit_count_ < rows_.size());
    row_of_gpu_[gpu.value] = row;
}

std::span<std::uint64_t const> BucketHistogram::of(GpuId gpu) const {
    KEYSWAP_EXPECTS(gpu.value < row_of_gpu_.size());
    return std::span(rows_).subspan(std::size_t{row_of_gpu_[gpu.value]} * digit_count_,
                                    digit_count_);
}

std::uint64_t BucketHistogram::count(GpuId gpu, std::uint32_t digit) const {
    KEYSWAP_EXPECTS(digit < digit_count_);
    return of(gpu)[digit];
}

void BucketHistogram::keep_digits(std::uint32_t digit_count) {
    KEYSWAP_EXPECTS(digit_count > 0 && digit_count <= digit_count_);
    std::vector<std::uint64_t> kept;
    for (std::size_t begin = 0; begin < rows_.size(); begin += digit_count_) {
        auto const row = std::span(rows_).subspan(begin, digit_count_);
        KEYSWAP_EXPECTS(std::ranges::all_of(row.subspan(digit_count),
                                            [](std::uint64_t count) { return count == 0; }));
        kept.insert(kept.end(), row.begin(), row.begin() + digit_count);
    }
    rows_ = std::move(kept);
    digit_count_ = digit_count;
}

std::vector<std::uint64_t> BucketHistogram::total() const {
    std::vector<std::uint64_t> uses(rows_.size() / digit_count_, 0);
    for (std::uint32_t const row : row_of_gpu_) {
        ++uses[row];
    }
    std::vector<std::uint64_t> sum(digit_count_, 0);
    for (std::size_t row = 0; row < uses.size(); ++row) {
        for (std::uint32_t digit = 0; digit < digit_count_; ++digit) {
            sum[digit] += uses[row] * rows_[row * digit_count_ + digit];
        }
    }
    return sum;
}

bool operator==(BucketHistogram const& a, BucketHistogram const& b) {
    if (a.bucket_ != b.bucket_ || a.digit_count_ != b.digit_count_ ||
        a.gpu_count() != b.gpu_count()) {
        return false;
    }
    for (std::uint32_t gpu = 0; gpu < a.gpu_count(); ++gpu) {
        if (!std::ranges::equal(a.of(GpuId{gpu}), b.of(GpuId{gpu}))) {
            return false;
        }
    }
    return true;
}

} // namespace keyswap::model
