#pragma once

/// \file One copy per ordered pair of GPUs. Plain C++.

#include "traces/records/records.hpp"

#include <cstddef>
#include <vector>

namespace keyswap::kernels {

/// [source][destination] a copy; its count is 0 if there is none.
class PairTable {
  public:
    explicit PairTable(std::size_t gpu_count) : gpus_(gpu_count), copies_(gpu_count * gpu_count) {}

    /// The copy between the source and destination of `copy`.
    [[nodiscard]] CopyRecord& at(CopyRecord const& copy) {
        return copies_[copy.source.value * gpus_ + copy.destination.value];
    }
    /// Ascending by source, then destination.
    [[nodiscard]] std::vector<CopyRecord> const& copies() const { return copies_; }

  private:
    std::size_t gpus_;
    std::vector<CopyRecord> copies_;
};

} // namespace keyswap::kernels
