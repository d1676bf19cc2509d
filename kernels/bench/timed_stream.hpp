#pragma once

/// \file Times of single calls on a stream of their own.

#include "kernels/device/stream.hpp"

#include <algorithm>
#include <vector>

namespace keyswap::kernels {

/// What is timed: a call alone, or one of several in a row, whose launches are hidden behind the
/// call before.
enum class TimedCalls { alone, in_a_row };

class TimedStream {
  public:
    explicit TimedStream(int device)
        : stream_(device), begin_(device, EventTiming::on), end_(device, EventTiming::on) {}

    [[nodiscard]] cudaStream_t get() const { return stream_.get(); }

    /// Microseconds of `work` by events, the median of seven runs after one that warms up.
    template <class Work>
    [[nodiscard]] double median_us(TimedCalls timed, Work const& work) const {
        int const calls = timed == TimedCalls::alone ? 1 : 8;
        return median_of(calls, work, [] {}) / calls;
    }
    /// The same of a call alone. \param prepare is called before each run and not timed
    template <class Work, class Prepare>
    [[nodiscard]] double median_us(Work const& work, Prepare const& prepare) const {
        return median_of(1, work, prepare);
    }

  private:
    template <class Work, class Prepare>
    [[nodiscard]] double median_of(int calls, Work const& work, Prepare const& prepare) const {
        constexpr int runs = 7;
        std::vector<double> times;
        for (int run = 0; run <= runs; ++run) {
            prepare();
            begin_.record(get());
            for (int call = 0; call < calls; ++call) {
                work();
            }
            end_.record(get());
            wait_for(get());
            float milliseconds = 0;
            KEYSWAP_CUDA(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()));
            if (run > 0) {
                times.push_back(1e3 * static_cast<double>(milliseconds));
            }
        }
        std::sort(times.begin(), times.end());
        return times[times.size() / 2];
    }

    Stream stream_;
    Event begin_;
    Event end_;
};

} // namespace keyswap::kernels
