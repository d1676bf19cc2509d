#pragma once

#include "model/external/external_accesses.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace keyswap::tools {

/// Decides when to save progress: if the next save takes as long as the last one, saving costs at
/// most 10 % of the time. Saving after a fixed number of bytes took most of the time with many
/// ranges on a shared disk.
class SaveClock {
  public:
    /// Callable by any thread, concurrently with measure().
    [[nodiscard]] bool is_due() const {
        std::int64_t const took = took_ns_;
        return now_ns() - end_ns_ >= model::work_per_save * took;
    }
    /// Calls `save` and measures its duration.
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
