#pragma once

/// \file Buffers of cache lines, one per digit, that collect elements for a large array, so that
/// memory is written in whole lines instead of single elements.
/// Source: Satish et al., Fast Sort on CPUs, GPUs and Intel MIC (2010), section 4.1.

#include "kernels/cpu/cpu_faults.hpp"
#include "kernels/cpu/element_arrays.hpp"

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

inline constexpr std::size_t line_bytes = 64; ///< x86-64 and most others

/// Writes a line with non-temporal stores if the processor has them.
/// \pre both pointers are aligned to a line
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

/// Store fence: streamed lines become visible to threads that synchronize with this one afterwards.
inline void finish_streaming() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/// The lines of one thread, for keys and for values. Each digit's elements form a run of
/// consecutive positions; an element's slot in a line has the alignment of its final address, so
/// that full lines are copied unchanged. \tparam line_count lines of a digit that are written
/// together: several are faster, as fewer elements complete one and loads wait less for stores, if
/// all fit a first-level cache
template <class Word, class Value, std::size_t line_count = 1>
class LineBuffers {
  public:
    /// \param starts [digits] index in `out` of each run's first element
    LineBuffers(ElementArrays<Word, Value> const& out, std::span<std::uint64_t const> starts)
        : keys_(out.keys, starts.size()), values_(out.values, has_values ? starts.size() : 0) {
        for (std::uint64_t const start : starts) {
            runs_.push_back({start, start});
        }
    }

    /// Appends an element to a digit's run.
    void put(std::size_t digit, Element<Word, Value> const& element) {
        Run& run = runs_[digit];
        keys_.put(digit, run, element.key);
        if constexpr (has_values) {
            values_.put(digit, run, element.value);
        }
        ++run.next;
    }

    /// Writes the remaining elements of all runs. Call after the last put().
    void finish() const {
        if (!has_fault(CpuFault::buffer_tail_lost)) {
            for (std::size_t digit = 0; digit < runs_.size(); ++digit) {
                keys_.finish(digit, runs_[digit]);
                if constexpr (has_values) {
                    values_.finish(digit, runs_[digit]);
                }
            }
        }
        finish_streaming();
    }

  private:
    static constexpr bool has_values = ElementArrays<Word, Value>::has_values;

    /// Bounds of a run: indices in the arrays.
    struct Run {
        std::uint64_t start;
        std::uint64_t next;
    };

    static constexpr std::size_t block_bytes = line_count * line_bytes;

    /// The lines of one array: one block per digit.
    template <class T>
    class Blocks {
      public:
        Blocks(std::span<T> out, std::size_t digits)
            : out_(out), blocks_(digits),
              skew_(reinterpret_cast<std::uintptr_t>(out.data()) % block_bytes / sizeof(T)) {}

        void put(std::size_t digit, Run const& run, T element) {
            std::size_t const slot = (run.next + skew_) % per_block;
            blocks_[digit].slots[slot] = element;
            if (slot == per_block - 1) [[unlikely]] {
                write_full(digit, run.start, run.next + 1);
            }
        }
        void finish(std::size_t digit, Run const& run) const {
            write_slots(digit, (run.next + skew_) % per_block, run.start, run.next);
        }

      private:
        static constexpr std::size_t per_block = block_bytes / sizeof(T);
        struct alignas(line_bytes) Block {
            std::array<T, per_block> slots;
        };

        /// Streams full blocks. A block with the begin of a run also holds the end of another run.
        void write_full(std::size_t digit, std::uint64_t start, std::uint64_t end) const {
            bool const over_start = has_fault(CpuFault::line_over_bucket_start) && end >= per_block;
            if (end >= start + per_block || over_start) {
                for (std::size_t i = 0; i < per_block; i += line_bytes / sizeof(T)) {
                    stream_line(&blocks_[digit].slots[i], &out_[end - per_block + i]);
                }
            } else {
                write_slots(digit, per_block, start, end);
            }
        }
        /// Writes the slots before `slot_end` that belong to the run, with plain stores.
        void write_slots(std::size_t digit,
                         std::size_t slot_end,
                         std::uint64_t start,
                         std::uint64_t end) const {
            std::size_t const count = std::min<std::uint64_t>(slot_end, end - start);
            std::copy_n(blocks_[digit].slots.begin() + (slot_end - count),
                        count,
                        out_.begin() + static_cast<std::ptrdiff_t>(end - count));
        }

        std::span<T> out_;
        std::vector<Block> blocks_;
        std::size_t skew_; ///< offset of out[0] in its block
    };

    Blocks<Word> keys_;
    Blocks<Value> values_;
    std::vector<Run> runs_;
};

} // namespace keyswap::kernels
