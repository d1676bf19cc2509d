#pragma once

/// \file A deliberately simple key source: the reference for testing the fast ones.

#include "model/keys/key_source.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// Scans every key for every bucket.
class PlainSource final : public KeySource {
  public:
    /// \param images order-preserving images in input order
    explicit PlainSource(std::vector<uint128> images) : images_(std::move(images)) {}
    explicit PlainSource(std::vector<std::uint64_t> const& images)
        : images_(images.begin(), images.end()) {}

    [[nodiscard]] std::uint64_t key_count() const override { return images_.size(); }
    [[nodiscard]] Counts counts() const override { return Counts::exact; }

    [[nodiscard]] std::vector<BucketHistogram>
    histograms(Chunks const& chunks,
               DigitLayout const& layout,
               std::span<BucketPrefix const> buckets) override {
        std::vector<BucketHistogram> result;
        for (BucketPrefix const bucket : buckets) {
            int const pass = bucket.pass + 1;
            BucketHistogram histogram(bucket, chunks.gpu_count(), layout.digit_count(pass));
            for (std::uint32_t gpu = 0; gpu < chunks.gpu_count(); ++gpu) {
                std::vector<std::uint64_t> counts(layout.digit_count(pass), 0);
                IndexRange const chunk = chunks.of(GpuId{gpu});
                for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) {
                    auto const image = static_cast<std::uint64_t>(images_[i]);
                    if (layout.prefix(image, bucket.pass) == bucket.prefix) {
                        ++counts[layout.digit(image, pass)];
                    }
                }
                histogram.assign_row(GpuId{gpu}, histogram.add_row(counts));
            }
            result.push_back(std::move(histogram));
        }
        return result;
    }

    [[nodiscard]] std::vector<BucketHistogram> histograms(Chunks const& chunks,
                                                          std::span<RefinedBucket const> buckets,
                                                          std::uint32_t child_count) override {
        std::vector<BucketHistogram> result;
        for (RefinedBucket const& bucket : buckets) {
            BucketHistogram histogram(bucket.bucket, chunks.gpu_count(), child_count);
            for (std::uint32_t gpu = 0; gpu < chunks.gpu_count(); ++gpu) {
                std::vector<std::uint64_t> counts(child_count, 0);
                IndexRange const chunk = chunks.of(GpuId{gpu});
                for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) {
                    for (std::size_t child = 0; child < bucket.children.size(); ++child) {
                        counts[child] += bucket.children[child].contains(images_[i]) ? 1 : 0;
                    }
                }
                histogram.assign_row(GpuId{gpu}, histogram.add_row(counts));
            }
            result.push_back(std::move(histogram));
        }
        return result;
    }
    [[nodiscard]] std::vector<uint128>
    images_at(std::span<std::uint64_t const> positions) override {
        std::vector<uint128> result;
        for (std::uint64_t const position : positions) {
            result.push_back(images_[position]);
        }
        return result;
    }

    [[nodiscard]] std::vector<uint128> const& images() const { return images_; }

  private:
    std::vector<uint128> images_;
};

} // namespace keyswap::model
