#pragma once

#include <chrono>

namespace keyswap::tools {

/// Elapsed time since its construction.
class Stopwatch {
  public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }
    [[nodiscard]] double milliseconds() const { return 1e3 * seconds(); }

  private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace keyswap::tools
