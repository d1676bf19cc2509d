#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace keyswap::simulator {

/// Union-find; each set is identified by its lowest member.
class JoinedSets {
  public:
    explicit JoinedSets(std::size_t count) : lowest_(count) {
        std::iota(lowest_.begin(), lowest_.end(), std::size_t{0});
    }
    [[nodiscard]] std::size_t find(std::size_t member) const {
        while (lowest_[member] != member) {
            member = lowest_[member];
        }
        return member;
    }
    void join(std::size_t one, std::size_t other) {
        std::size_t const a = find(one);
        std::size_t const b = find(other);
        lowest_[std::max(a, b)] = std::min(a, b);
    }

  private:
    std::vector<std::size_t> lowest_;
};

} // namespace keyswap::simulator
