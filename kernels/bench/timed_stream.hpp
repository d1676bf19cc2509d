#pragma once

/// \file Times of single calls on a stream of their own.

#include "kernels/device/stream.hpp"

#include <algorithm>
#include <vector>

namespace keyswap::kernels {

class TimedStream {
  public:
    explicit TimedStream(int device)
        : stream_(device), begin_(device, EventTiming::on), end_(device, EventTiming::on) {}

    [[nodiscard]] cudaStream_t get() const { return stream_.get(); }

    /// Microseconds of `work` by events, the median of seven runs after one that warms up.
    /// \param prepare is called before each run and not timed
    template <class Work, class Prepare>
    [[nodiscard]] double median_us(Work const& work, Prepare const& prepare) const {
        constexpr int repeats = 7;
        std::vector<double> times;
        for (int i = 0; i <= repeats; ++i) {
            prepare();
            begin_.record(get());
            work();
            end_.record(get());
            wait_for(get());
            float milliseconds = 0;
            KEYSWAP_CUDA(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()));
            if (i > 0) {
                times.push_back(1e3 * static_cast<double>(milliseconds));
            }
        }
        std::sort(times.begin(), times.end());
        return times[times.size() / 2];
    }
    template <class Work>
    [[nodiscard]] double median_us(Work const& work) const {
        return median_us(work, [] {});
    }

  private:
    Stream stream_;
    Event begin_;
    Event end_;
};

} // namespace keyswap::kernels
