#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace keyswap::tools {

/// Says when to save what is complete: so that the next save, if it takes as long as the last one,
/// costs at most a tenth of the time since. With many ranges on a disk that others use, saves after
/// so many bytes alone took most of it.
class SaveClock {
  public:
    /// Any thread may ask, another one may save.
    [[nodiscard]] bool is_due() const {
        std::int64_t const took = took_ns_;
        return now_ns() - end_ns_ >= 9 * took;
    }
    /// Calls a function that saves, and measures it.
    template <class Save>
    auto measure(Save const& save) {
        std::int64_t const begin = now_ns();
        auto result = save();
        end_ns_ = now_ns();
        took_ns_ = end_ns_ - begin;
        return result;
    }

  private:
    static std::int64_t now_ns() {
        auto const now = std::chrono::steady_clock::now().time_since_epoch();
        return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    }
    std::atomic<std::int64_t> took_ns_{0};
    std::atomic<std::int64_t> end_ns_{0};
};

} // namespace keyswap::tools
