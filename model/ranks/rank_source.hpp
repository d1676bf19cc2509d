#pragma once

#include "model/keys/key_source.hpp"
#include "model/ranks/communicator.hpp"

#include <cstdint>
#include <span>

namespace keyswap::model {

/// The keys of all ranks together; this rank holds one chunk of them. Each counts its own, and all
/// counts go to all ranks. So every rank makes the same plan, without a rank that leads. All ranks
/// ask the same in the same order.
///
/// Bytes that a rank receives do not grow with the keys: 8 g 2^r for each bucket that a pass
/// refines, on g ranks with digits of r bits.
class RankSource final : public KeySource {
  public:
    /// \param own counts this rank's chunk alone; must outlive the source
    /// \param key_count of all ranks
    /// \pre own.key_count() is the size of this rank's chunk of key_count keys
    RankSource(Communicator& ranks, KeySource& own, std::uint64_t key_count);

    [[nodiscard]] std::uint64_t key_count() const override { return chunks_.key_count(); }
    [[nodiscard]] Counts counts() const override { return own_.counts(); }
    [[nodiscard]] std::vector<BucketHistogram>
    histograms(Chunks const& chunks,
               DigitLayout const& layout,
               std::span<BucketPrefix const> buckets) override;
    [[nodiscard]] std::vector<BucketHistogram> histograms(Chunks const& chunks,
                                                          std::span<RefinedBucket const> buckets,
                                                          std::uint32_t child_count) override;
    [[nodiscard]] std::vector<uint128> images_at(std::span<std::uint64_t const> positions) override;

  private:
    /// The same buckets with the counts of every rank.
    std::vector<BucketHistogram> gather(std::span<BucketHistogram const> own);

    Communicator& ranks_;
    KeySource& own_;
    Chunks chunks_;     ///< of all keys
    Chunks own_chunks_; ///< of this rank's, on one GPU
};

} // namespace keyswap::model
