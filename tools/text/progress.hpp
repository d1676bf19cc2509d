#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace keyswap::tools {

/// Where and how often to draw a progress bar.
struct ProgressDisplay {
    int descriptor = STDERR_FILENO;        ///< nothing is drawn unless this is a terminal
    std::chrono::milliseconds delay{2000}; ///< shorter work shows no bar
    std::chrono::milliseconds interval{100};
    bool in_bytes = false; ///< the unit is bytes: shows amount and rate
};

/// A progress bar for long work, drawn by a separate thread and erased at the end. Writes nothing
/// if the descriptor is not a terminal, or if the terminal cannot move the cursor within a line
/// (TERM=dumb).
class Progress {
  public:
    /// \param what name of the work, for instance "checking"
    /// \param total amount of work in any unit; 0 if unknown
    Progress(std::string what, std::uint64_t total, ProgressDisplay display = {});
    ~Progress();
    Progress(Progress const&) = delete;
    Progress& operator=(Progress const&) = delete;

    /// Adds completed work. Thread-safe.
    void advance(std::uint64_t amount) noexcept {
        done_.fetch_add(amount, std::memory_order_relaxed);
    }

    /// Sets the total if it became known later. Thread-safe and cheap.
    void set_total(std::uint64_t total) noexcept { total_.store(total, std::memory_order_relaxed); }

    /// Callback for work that reports its steps, and its total each time.
    [[nodiscard]] auto steps() noexcept {
        return [this](std::uint64_t more, std::uint64_t all) {
            set_total(all);
            advance(more);
        };
    }

  private:
    void draw_until_stopped();
    void draw();

    std::string what_;
    std::atomic<std::uint64_t> total_;
    ProgressDisplay display_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::atomic<std::uint64_t> done_{0};
    bool drawn_ = false; ///< used by the drawing thread, then by the destructor
    std::mutex mutex_;
    std::condition_variable stop_requested_;
    bool stopping_ = false; ///< guarded by mutex_
    std::thread thread_;    ///< not started if there is no terminal
};

/// "checking [#####-----]  50%  12 s left", at most `width` characters. The remaining time is
/// extrapolated and shown from 1 % on, after "1.2 GB of 8 GB, 230 MB/s" if in bytes.
[[nodiscard]] std::string progress_line(std::string_view what,
                                        std::uint64_t done,
                                        std::uint64_t total,
                                        std::chrono::milliseconds elapsed,
                                        std::size_t width,
                                        bool in_bytes = false);

} // namespace keyswap::tools
