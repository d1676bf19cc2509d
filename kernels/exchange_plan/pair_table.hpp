#pragma once

/// \file One copy per ordered pair of GPUs. Plain C++.

#include "traces/records/records.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// [source][destination] a copy; its count is 0 if there is none.
class PairTable {
  public:
    /// \param pairs at most one copy per pair
    explicit PairTable(std::size_t gpu_count, std::span<CopyRecord const> pairs = {})
        : gpus_(gpu_count), copies_(gpu_count * gpu_count) {
        for (CopyRecord const& pair : pairs) {
            at(pair) = pair;
        }
    }

    /// The copy between the source and destination of `copy`.
    [[nodiscard]] CopyRecord& at(CopyRecord const& copy) {
        return copies_[copy.source.value * gpus_ + copy.destination.value];
    }
    /// Destination of a copy's keys, which are a part of the pair's.
    [[nodiscard]] std::uint64_t arrival_of(CopyRecord const& copy) {
        CopyRecord const& pair = at(copy);
        return pair.destination_offset + (copy.source_offset - pair.source_offset);
    }
    /// Ascending by source, then destination.
    [[nodiscard]] std::vector<CopyRecord> const& copies() const { return copies_; }

  private:
    std::size_t gpus_;
    std::vector<CopyRecord> copies_;
};

} // namespace keyswap::kernels
