#include "kernels/cpu/buffered_radix.hpp"

#include "kernels/cpu/line_buffers.hpp"
#include "kernels/cpu/thread_team.hpp"

#include <numeric>
#include <utility>

namespace keyswap::kernels {

namespace {

/// One row per thread, each in its own cache lines.
class DigitTable {
  public:
    DigitTable(unsigned threads, std::size_t digits)
        : digits_(digits), stride_(digits + line_bytes / sizeof(std::uint64_t)),
          words_(threads * stride_) {}
    [[nodiscard]] std::span<std::uint64_t> row(unsigned thread) {
        return std::span(words_).subspan(thread * stride_, digits_);
    }

  private:
    std::size_t digits_;
    std::size_t stride_;
    std::vector<std::uint64_t> words_;
};

template <class Word>
struct Digit {
    int shift;
    std::size_t mask;
    explicit Digit(DigitBuckets const& step)
        : shift(step.shift), mask((std::size_t{1} << step.bits) - 1) {}
    [[nodiscard]] std::size_t of(Word key) const {
        return static_cast<std::size_t>(key >> shift) & mask;
    }
};

template <class Word>
void count_digits(std::span<Word const> keys, Digit<Word> digit, std::span<std::uint64_t> counts) {
    for (Word const key : keys) {
        ++counts[digit.of(key)];
    }
}

/// Replaces counts by the starts of all runs, by digit, then thread.
/// \return keys of each digit
std::vector<std::uint64_t> scan(DigitTable& table, unsigned threads, std::size_t digits) {
    std::vector<std::uint64_t> totals(digits);
    std::uint64_t start = 0;
    for (std::size_t digit = 0; digit < digits; ++digit) {
        std::uint64_t const first = start;
        for (unsigned thread = 0; thread < threads; ++thread) {
            start += std::exchange(table.row(thread)[digit], start);
        }
        totals[digit] = start - first;
    }
    return totals;
}

/// Scatters a block to its runs. \param starts [digits] of the runs
template <class Word, class Value>
void scatter(ElementArrays<Word, Value> const& block,
             ElementArrays<Word, Value> const& out,
             Digit<Word> digit,
             std::span<std::uint64_t const> starts) {
    LineBuffers<Word, Value> lines(out, starts);
    for (std::size_t i = 0; i < block.size(); ++i) {
        auto const element = block.at(i);
        lines.put(digit.of(element.key), element);
    }
    lines.finish();
}

/// Runs one step. \return keys of each digit
template <class Word, class Value>
std::vector<std::uint64_t> radix_step(ElementArrays<Word, Value> const& from,
                                      ElementArrays<Word, Value> const& to,
                                      DigitBuckets const& step,
                                      unsigned threads) {
    Digit<Word> const digit(step);
    std::size_t const digits = digit.mask + 1;
    DigitTable table(threads, digits);
    auto const block = [&](unsigned thread) {
        auto const [first, end] = block_of(from.size(), threads, thread);
        return from.part(first, end - first);
    };
    run_on_threads(threads, [&](unsigned thread) {
        count_digits<Word>(block(thread).keys, digit, table.row(thread));
    });
    std::vector<std::uint64_t> totals = scan(table, threads, digits);
    run_on_threads(threads,
                   [&](unsigned thread) { scatter(block(thread), to, digit, table.row(thread)); });
    return totals;
}

/// Digest of all elements, computed by all threads.
template <class Word, class Value>
SequenceDigest digest_by_threads(ElementArrays<Word, Value> const& elements, unsigned threads) {
    std::vector<SequenceDigest> parts(threads);
    run_on_threads(threads, [&](unsigned thread) {
        auto const [first, end] = block_of(elements.size(), threads, thread);
        parts[thread] = sequence_digest(elements.part(first, end - first), first);
    });
    return std::accumulate(parts.begin(), parts.end(), SequenceDigest{}, [](auto sum, auto part) {
        return sum += part;
    });
}

void record_functions(std::vector<DigitBuckets> const& steps, TraceSink& trace) {
    BucketFunctionRecord record;
    for (DigitBuckets const& step : steps) {
        record.function.buckets = std::uint32_t{1} << step.bits;
        record.function.rule = step;
        trace.write(record);
        ++record.id;
    }
}

/// \param number of the step, from 1
void record_step(int number,
                 std::vector<std::uint64_t> totals,
                 SequenceDigest const& output,
                 TraceSink& trace) {
    auto const function = static_cast<std::uint32_t>(number - 1);
    PartitionRecord partition;
    partition.step = number;
    partition.function = function;
    partition.count = output.count;
    partition.method = "buffered";
    partition.starts.resize(totals.size());
    std::exclusive_scan(totals.begin(), totals.end(), partition.starts.begin(), std::uint64_t{0});
    partition.output = output;
    trace.write(HistogramRecord{BucketPrefix{}, GpuId{0}, 0, std::move(totals), number, function});
    trace.write(partition);
}

} // namespace

template <class Word, class Value>
void buffered_radix_sort(ElementArrays<Word, Value> elements,
                         ElementArrays<Word, Value> scratch,
                         std::vector<DigitBuckets> const& steps,
                         unsigned threads,
                         TraceSink* trace) {
    if (trace != nullptr) {
        record_functions(steps, *trace);
    }
    auto from = elements;
    auto to = scratch;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        std::vector<std::uint64_t> totals = radix_step(from, to, steps[i], threads);
        std::swap(from, to);
        if (trace != nullptr) {
            record_step(static_cast<int>(i) + 1,
                        std::move(totals),
                        digest_by_threads(from, threads),
                        *trace);
        }
    }
    if (steps.size() % 2 != 0) {
        run_on_threads(threads, [&](unsigned thread) {
            auto const [first, end] = block_of(elements.size(), threads, thread);
            elements.part(first, end - first).copy(scratch.part(first, end - first));
        });
    }
}

#define KEYSWAP_INSTANTIATE(Word, Value)                                                           \
    template void buffered_radix_sort(ElementArrays<Word, Value>,                                  \
                                      ElementArrays<Word, Value>,                                  \
                                      std::vector<DigitBuckets> const&,                            \
                                      unsigned,                                                    \
                                      TraceSink*);
KEYSWAP_FOR_EACH_ELEMENT_ARRAYS(KEYSWAP_INSTANTIATE)
#undef KEYSWAP_INSTANTIATE

} // namespace keyswap::kernels
