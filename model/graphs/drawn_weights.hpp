#pragma once

#include "model/distributions/counter_generator.hpp"
#include "model/graphs/graph.hpp"

#include <cstdint>

namespace keyswap::model {

/// Random weights for edges without one: uniform in 0..random_weight_max, a function of seed and
/// edge number only.
class DrawnWeights {
  public:
    explicit DrawnWeights(std::uint64_t seed) : words_(seed, stream) {}
    [[nodiscard]] std::uint32_t of(std::uint64_t edge) const {
        return static_cast<std::uint32_t>(
            (std::uint64_t{words_.word32(edge)} * (random_weight_max + 1)) >> 32);
    }

  private:
    static constexpr std::uint32_t stream = 2; ///< stream 1 draws the end points of generated edges
    CounterGenerator words_;
};

} // namespace keyswap::model
