#pragma once

#include "model/keys/key_source.hpp"

#include <cstdint>
#include <map>

namespace keyswap::model {

/// Counts the keys of a chunk below an image, from histograms alone. Requests one histogram per
/// digit of the image from the source and caches it. \pre the source outlives this object
class ChunkRanks {
  public:
    ChunkRanks(Chunks const& chunks, DigitLayout const& layout, KeySource& source);

    /// Keys in the chunk of `gpu` whose first `prefix.pass` digits are below `prefix`.
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
