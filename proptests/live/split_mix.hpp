#pragma once

#include "traces/records/digest.hpp"

#include <cstdint>

namespace keyswap::proptests {

/// SplitMix64 as a sequential generator.
class SplitMix64 {
  public:
    explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ULL;
        return mix_bits(state_);
    }
    std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : next() % bound; }

  private:
    std::uint64_t state_;
};

} // namespace keyswap::proptests
