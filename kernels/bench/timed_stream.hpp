#pragma once

/// \file Times of single calls, on a separate stream.

#include "kernels/bench/timings.hpp"
#include "kernels/device/stream.hpp"

#include <utility>
#include <vector>

namespace keyswap::kernels {

/// Whether calls are timed individually, or in a sequence, where the launch of a call overlaps the
/// previous call.
enum class TimedCalls { alone, in_a_row };

class TimedStream {
  public:
    explicit TimedStream(int device)
        : stream_(device), begin_(device, EventTiming::on), end_(device, EventTiming::on) {}

    [[nodiscard]] cudaStream_t get() const { return stream_.get(); }

    /// Microseconds of `work` by events: the median of seven runs after a warm-up.
    template <class Work>
    [[nodiscard]] double median_us(TimedCalls timed, Work const& work) const {
        int const calls = timed == TimedCalls::alone ? 1 : 8;
        return measure(calls, work, [] {}) / calls;
    }
    /// The same for individual calls. \param prepare called before each run, not timed
    template <class Work, class Prepare>
    [[nodiscard]] double median_us(Work const& work, Prepare const& prepare) const {
        return measure(1, work, prepare);
    }

  private:
    template <class Work, class Prepare>
    [[nodiscard]] double measure(int calls, Work const& work, Prepare const& prepare) const {
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
            if (run > 0) {
                times.push_back(1e3 * end_.milliseconds_since(begin_));
            }
        }
        return median_of(std::move(times));
    }

    Stream stream_;
    Event begin_;
    Event end_;
};

} // namespace keyswap::kernels
