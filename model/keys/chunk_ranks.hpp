#pragma once

#include "model/keys/key_source.hpp"

#include <cstdint>
#include <map>

namespace keyswap::model {

/// Answers how many keys of a chunk are below an image, from histograms alone: one histogram a
/// digit of the image, each asked for once. \pre the source outlives this object
class ChunkRanks {
  public:
    ChunkRanks(Chunks const& chunks, DigitLayout const& layout, KeySource& source);

    /// Keys of the chunk of `gpu` whose first `prefix.pass` digits are below `prefix`.
    [[nodiscard]] std::uint64_t count_below(GpuId gpu, BucketPrefix prefix);

    [[nodiscard]] Chunks const& chunks() const { return chunks_; }
    [[nodiscard]] DigitLayout const& layout() const { return layout_; }

  private:
    BucketHistogram const& histogram(BucketPrefix bucket);

    Chunks chunks_;
    DigitLayout layout_;
    KeySource& source_;
    std::map<BucketPrefix, BucketHistogram> histograms_;
};

} // namespace keyswap::model
