#pragma once

#include "model/keys/key_source.hpp"
#include "model/ranks/communicator.hpp"

#include <cstdint>
#include <span>

namespace keyswap::model {

/// The keys of all ranks; this rank holds one chunk. Each rank counts its chunk and all-gathers the
/// counts, so every rank makes the same plan without a leader. Calls are collective: all ranks make
/// the same ones in the same order.
///
/// The bytes received per rank do not grow with the keys: 8 g 2^r for each bucket refined in a
/// pass, on g ranks with digits of r bits.
class RankSource final : public KeySource {
  public:
    /// \param own counts this rank's chunk only; must outlive the source
    /// \param key_count total over all ranks
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
    /// All-gathers the counts of these buckets.
    std::vector<BucketHistogram> gather(std::span<BucketHistogram const> own);

    Communicator& ranks_;
    KeySource& own_;
    Chunks chunks_;     ///< all keys, by rank
    Chunks own_chunks_; ///< this rank's keys, as one chunk
};

} // namespace keyswap::model
