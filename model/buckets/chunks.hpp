#pragma once

#include "traces/records/bucket_prefix.hpp"

#include <cstdint>

namespace keyswap::model {

/// Half-open range of key indices.
struct IndexRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    [[nodiscard]] std::uint64_t size() const { return end - begin; }
    friend bool operator==(IndexRange const&, IndexRange const&) = default;
};

/// The ideal chunks: GPU i holds input [iC, min((i+1)C, n)) with C = ceil(n/g); may be empty.
/// Source: RMG paper, section 3, "chunks of equal size".
class Chunks {
  public:
    /// \pre gpu_count > 0
    Chunks(std::uint64_t key_count, std::uint32_t gpu_count);

    [[nodiscard]] std::uint64_t key_count() const { return key_count_; }
    [[nodiscard]] std::uint32_t gpu_count() const { return gpu_count_; }
    /// C = ceil(n/g); 0 if there are no keys.
    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] IndexRange of(GpuId gpu) const;
    /// Global index of the end of the GPU's ideal chunk: (i+1)C. \pre gpu is not the last
    [[nodiscard]] std::uint64_t border(GpuId gpu) const;
    /// The GPU whose ideal chunk contains global index `index`. \pre index < key_count()
    [[nodiscard]] GpuId owner_of(std::uint64_t index) const;

  private:
    std::uint64_t key_count_;
    std::uint32_t gpu_count_;
    std::uint64_t size_;
};

} // namespace keyswap::model
