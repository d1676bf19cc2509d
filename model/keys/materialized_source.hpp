#pragma once

#include "model/keys/key_source.hpp"

#include <cstdint>
#include <span>
#include <variant>

namespace keyswap::model {

/// Counts keys held in memory without changing them. Each pass reads all keys once, regardless of
/// the number of spanning buckets.
class MaterializedSource final : public KeySource {
  public:
    /// \param images order-preserving images in input order, for the direction of the sort; must
    ///       outlive the source
    explicit MaterializedSource(std::span<std::uint32_t const> images) : images_(images) {}
    explicit MaterializedSource(std::span<std::uint64_t const> images) : images_(images) {}
    explicit MaterializedSource(std::span<uint128 const> images) : images_(images) {}

    [[nodiscard]] std::uint64_t key_count() const override;
    [[nodiscard]] Counts counts() const override { return Counts::exact; }
    [[nodiscard]] std::vector<BucketHistogram>
    histograms(Chunks const& chunks,
               DigitLayout const& layout,
               std::span<BucketPrefix const> buckets) override;
    [[nodiscard]] std::vector<BucketHistogram> histograms(Chunks const& chunks,
                                                          std::span<RefinedBucket const> buckets,
                                                          std::uint32_t child_count) override;
    [[nodiscard]] std::vector<uint128> images_at(std::span<std::uint64_t const> positions) override;

  private:
    std::variant<std::span<std::uint32_t const>,
                 std::span<std::uint64_t const>,
                 std::span<uint128 const>>
        images_;
};

} // namespace keyswap::model
