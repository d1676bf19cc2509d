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

/// Where and how often a progress bar is drawn.
struct ProgressDisplay {
    int descriptor = STDERR_FILENO;        ///< drawn only where this is a terminal
    std::chrono::milliseconds delay{2000}; ///< work that ends sooner shows nothing
    std::chrono::milliseconds interval{100};
    bool in_bytes = false; ///< the unit is bytes: how many, and how many a second, are shown
};

/// A bar for long work on a terminal, drawn by a thread of its own, and erased at the
/// end. Where the descriptor is not a terminal, or the terminal cannot go back in a line
/// (TERM=dumb), nothing is ever written.
class Progress {
  public:
    /// \param what the work, for instance "checking"
    /// \param total its size in any unit; 0 if it is unknown, or not yet known
    Progress(std::string what, std::uint64_t total, ProgressDisplay display = {});
    ~Progress();
    Progress(Progress const&) = delete;
    Progress& operator=(Progress const&) = delete;

    /// So much more is done. May be called by any thread.
    void advance(std::uint64_t amount) noexcept {
        done_.fetch_add(amount, std::memory_order_relaxed);
    }

    /// The size, where it became known later. May be called by any thread, and often.
    void set_total(std::uint64_t total) noexcept { total_.store(total, std::memory_order_relaxed); }

  private:
    void draw_until_stopped();
    void draw();

    std::string what_;
    std::atomic<std::uint64_t> total_;
    ProgressDisplay display_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::atomic<std::uint64_t> done_{0};
    bool drawn_ = false; ///< of the drawing thread, and of the destructor after its end
    std::mutex mutex_;
    std::condition_variable stop_requested_;
    bool stopping_ = false; ///< guarded by mutex_
    std::thread thread_;    ///< not started where there is no terminal
};

/// "checking [#####-----]  50%  12 s left", at most `width` letters. Time left is extrapolated, and
/// said from 1 % on. Of bytes also "1.2 GB of 8 GB, 230 MB/s" before the time left.
[[nodiscard]] std::string progress_line(std::string_view what,
                                        std::uint64_t done,
                                        std::uint64_t total,
                                        std::chrono::milliseconds elapsed,
                                        std::size_t width,
                                        bool in_bytes = false);

} // namespace keyswap::tools
