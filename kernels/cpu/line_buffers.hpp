#pragma once

/// \file Cache lines in which elements gather on their way to a large array, one line a digit, so
/// that memory sees whole lines instead of single elements.
/// Source: Satish et al., Fast Sort on CPUs, GPUs and Intel MIC (2010), section 4.1.

#include "kernels/cpu/cpu_faults.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace keyswap::kernels {

inline constexpr std::size_t line_bytes = 64; ///< of x86-64 and most others

/// Writes a line past the caches, where the processor can.
/// \pre both are aligned to a line
inline void stream_line(void const* from, void* to) {
#if defined(__SSE2__)
    auto const* const source = static_cast<__m128i const*>(from);
    auto* const target = static_cast<__m128i*>(to);
    for (std::size_t i = 0; i < line_bytes / sizeof(__m128i); ++i) {
        _mm_stream_si128(target + i, _mm_load_si128(source + i));
    }
#else
    std::copy_n(static_cast<std::byte const*>(from), line_bytes, static_cast<std::byte*>(to));
#endif
}

/// Makes streamed lines visible to whoever synchronises with this thread afterwards.
inline void finish_streaming() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/// The lines of one thread and one array. Each digit's elements go to consecutive places, its run;
/// an element stands in its line where it will stand in memory, so that a full line is copied as it
/// is.
template <class T>
class LineBuffers {
  public:
    /// \param starts [digits] index in `out` of the first element of each run
    LineBuffers(std::span<T> out, std::span<std::uint64_t const> starts)
        : out_(out), lines_(starts.size()),
          skew_(reinterpret_cast<std::uintptr_t>(out.data()) % line_bytes / sizeof(T)) {
        for (std::uint64_t const start : starts) {
            runs_.push_back({start + skew_, start + skew_});
        }
    }

    /// The next element of a digit's run.
    void put(std::size_t digit, T element) {
        std::uint64_t const place = runs_[digit].next++;
        lines_[digit].slots[place % per_line] = element;
        if (place % per_line == per_line - 1) [[unlikely]] {
            write_full(digit);
        }
    }

    /// Writes what is left of all runs, after the last put().
    void finish() const {
        for (std::size_t digit = 0; digit < runs_.size(); ++digit) {
            if (!has_fault(CpuFault::buffer_tail_lost)) {
                write_slots(digit, runs_[digit].next % per_line);
            }
        }
        finish_streaming();
    }

  private:
    static constexpr std::size_t per_line = line_bytes / sizeof(T);
    struct alignas(line_bytes) Line {
        std::array<T, per_line> slots;
    };
    /// Places: indices in `out` from the line on in which it begins.
    struct Run {
        std::uint64_t start;
        std::uint64_t next;
    };

    /// Full lines are streamed. One in which the run begins holds the end of another run too.
    void write_full(std::size_t digit) const {
        auto const [start, end] = runs_[digit];
        bool const over_start =
            has_fault(CpuFault::line_over_bucket_start) && end >= skew_ + per_line;
        if (end >= start + per_line || over_start) {
            stream_line(&lines_[digit], &out_[end - per_line - skew_]);
        } else {
            write_slots(digit, per_line);
        }
    }
    /// The slots before `slot_end` that belong to the run, by plain stores.
    void write_slots(std::size_t digit, std::size_t slot_end) const {
        auto const [start, end] = runs_[digit];
        std::size_t const count = std::min<std::uint64_t>(slot_end, end - start);
        std::copy_n(lines_[digit].slots.begin() + (slot_end - count),
                    count,
                    out_.begin() + static_cast<std::ptrdiff_t>(end - count - skew_));
    }

    std::span<T> out_;
    std::vector<Line> lines_;
    std::vector<Run> runs_;
    std::size_t skew_; ///< of out[0] in its line
};

} // namespace keyswap::kernels
