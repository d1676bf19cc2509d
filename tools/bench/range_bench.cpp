#include "tools/bench/range_bench.hpp"

#include "kernels/cpu/thread_team.hpp"
#include "model/keys/key_order.hpp"
#include "tools/backends/available_memory.hpp"
#include "tools/backends/cuda_backend.hpp"
#include "tools/backends/key_memory.hpp"
#include "tools/build/stopwatch.hpp"
#include "tools/external/pipeline/buffer_arena.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <ostream>
#include <type_traits>

namespace keyswap::tools {

namespace {

constexpr std::uint64_t bench_memory_min = std::uint64_t{1} << 28; ///< minimum for the planner

template <class Work>
Expected<double> seconds_of(Work const& work) {
    Stopwatch const stopwatch;
    if constexpr (std::is_void_v<decltype(work())>) {
        work();
    } else {
        KEYSWAP_RETURN_IF_ERROR(work());
    }
    return stopwatch.seconds();
}

/// Pinned arrays of keys and values in host memory, with scratch arrays of equal size.
class PinnedArrays {
  public:
    PinnedArrays(RangeBench const& bench, model::KeyGenerator const& generator)
        : bench_(bench), generator_(generator),
          shape_(static_cast<SortShape const&>(bench.request.config)), arena_(2 * size_bytes()) {
        std::uint64_t const count = bench.request.config.key_count;
        auto const array = [&](std::size_t element_bytes) {
            return arena_.take_aligned(count * element_bytes);
        };
        arrays_ = {array(key_size_bytes(shape_.key_type)),
                   array(value_size_bytes(shape_.value_type)),
                   array(key_size_bytes(shape_.key_type)),
                   array(value_size_bytes(shape_.value_type))};
    }

    [[nodiscard]] std::uint64_t size_bytes() const {
        return bench_.request.config.key_count * shape_.element_bytes();
    }
    [[nodiscard]] RangeArrays const& arrays() const { return arrays_; }

    void allocate() const {
        for (std::span<std::byte> const array : all()) {
            allocate_pages(array, bench_.threads);
        }
    }
    /// \pre pages are allocated
    void pin(RangeEngine& engine) {
        auto const arrays = all();
        kernels::run_on_threads(arrays.size(), [&](unsigned i) {
            pins_[i] = arrays[i].empty() ? nullptr : engine.pin(arrays[i]);
        });
    }

    void fill() const {
        model::with_image_type(shape_.key_type, [&]<class Image>(Image) {
            auto const images = view_as<Image>(arrays_.keys);
            by_threads(images.size(), [&](std::size_t begin, std::size_t end) {
                auto const part = images.subspan(begin, end - begin);
                generator_.images(begin, part);
                model::to_keys(shape_.key_type, Direction::ascending, part);
            });
        });
        if (shape_.value_type == ValueType::bits32) {
            number(view_as<std::uint32_t>(arrays_.values));
        } else if (shape_.value_type == ValueType::bits64) {
            number(view_as<std::uint64_t>(arrays_.values));
        }
    }

    [[nodiscard]] Expected<kernels::SequenceSummary> summary() const {
        kernels::SequencePart const all{kernels::SequencePart::in_host_memory,
                                        arrays_.keys.data(),
                                        arrays_.values.empty() ? nullptr : arrays_.values.data(),
                                        bench_.request.config.key_count};
        return cuda::summarize(shape_, std::span(&all, 1), {});
    }

    /// Tasks of the planned range size, from the arrays to the scratch arrays.
    [[nodiscard]] std::vector<RangeTask> transfers(std::uint64_t records) const {
        std::vector<RangeTask> tasks;
        std::uint64_t const count = bench_.request.config.key_count;
        std::size_t const key_bytes = key_size_bytes(shape_.key_type);
        RangeElements const from = elements_of(arrays_, key_bytes);
        RangeElements const to = scratch_of(arrays_, key_bytes);
        for (std::uint64_t at = 0; at < count; at += records) {
            std::uint64_t const some = std::min(records, count - at);
            tasks.push_back({{from.part(at, some)}, to.part(at, some), {}});
        }
        return tasks;
    }

  private:
    [[nodiscard]] std::array<std::span<std::byte>, 4> all() const {
        return {arrays_.keys, arrays_.values, arrays_.key_scratch, arrays_.value_scratch};
    }
    template <class Work>
    void by_threads(std::size_t count, Work const& work) const {
        kernels::run_on_threads(bench_.threads, [&](unsigned thread) {
            auto const [begin, end] = kernels::block_of(count, bench_.threads, thread);
            work(begin, end);
        });
    }
    template <class Value>
    void number(std::span<Value> values) const {
        by_threads(values.size(), [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                values[i] = static_cast<Value>(i);
            }
        });
    }

    RangeBench const& bench_;
    model::KeyGenerator const& generator_;
    SortShape shape_;
    BufferArena arena_;
    RangeArrays arrays_;
    std::array<std::shared_ptr<void const>, 4> pins_; ///< released before the memory
};

Expected<void> run_once(RangeBench const& bench,
                        PinnedArrays const& keys,
                        model::ExternalMemory const& memory,
                        RangeEngine& engine,
                        RangeBenchRow& row) {
    keys.fill();
    KEYSWAP_TRY(auto const before, keys.summary());
    ArrayRanges ranges(
        layout_of_arrays(bench.request.config), memory, bench.threads, keys.arrays());
    KEYSWAP_RETURN_IF_ERROR(ranges.partition(engine));
    KEYSWAP_TRY(double const sort_seconds,
                seconds_of([&] { return sort_ranges(ranges, engine, bench.threads); }));
    KEYSWAP_TRY(auto const after, keys.summary());
    row.holds = row.holds && after.violations == 0 && after.elements == before.elements;
    row.runs.push_back({ranges.count_seconds, ranges.move_seconds, sort_seconds});
    row.range_count = ranges.leaves().size();
    return {};
}

} // namespace

RangeBenchRun const& RangeBenchRow::median() const {
    std::vector<RangeBenchRun const*> sorted;
    for (RangeBenchRun const& run : runs) {
        sorted.push_back(&run);
    }
    std::ranges::sort(sorted, {}, [](RangeBenchRun const* run) { return run->seconds(); });
    return *sorted[sorted.size() / 2];
}

double RangeBenchRow::GBps() const {
    return static_cast<double>(size_bytes) / median().seconds() / 1e9;
}

Expected<RangeBenchRow> bench_ranges(RangeBench const& bench, RangeEngine& engine) {
    KEYSWAP_TRY(auto const generator, model::KeyGenerator::make(*bench.request.keys));
    SortShape shape = static_cast<SortShape const&>(bench.request.config);
    shape.stability = shape.value_type == ValueType::none ? Stability::unstable : Stability::stable;
    auto const layout = layout_of_arrays(shape);
    std::uint64_t const count = bench.request.config.key_count;
    KEYSWAP_RETURN_IF_ERROR(expect_memory_for("--keys " + std::to_string(count),
                                              count,
                                              2 * layout.record_bytes,
                                              available_memory_bytes()));
    KEYSWAP_TRY(auto const memory,
                model::divide_memory(layout,
                                     std::max(2 * count * layout.record_bytes, bench_memory_min),
                                     bench.records_max));
    KEYSWAP_RETURN_IF_ERROR(engine.prepare(shape, memory.records_max));
    RangeBenchRow row;
    row.engine = engine.name();
    row.input = bench;
    row.size_bytes = count * layout.record_bytes;
    row.records_max = memory.records_max;
    row.bytes_per_gpu = engine.bytes_per_device();
    PinnedArrays keys(bench, generator);
    KEYSWAP_TRY(row.allocate_s, seconds_of([&] { keys.allocate(); }));
    KEYSWAP_TRY(row.pin_s, seconds_of([&] { keys.pin(engine); }));
    auto const transfers = keys.transfers(model::range_target(memory, count).planned_records());
    for (int i = 0; i < 2; ++i) { // the first run warms up
        KEYSWAP_TRY(row.transfer_s, seconds_of([&] { return engine.move_ranges(transfers); }));
    }
    for (int run = 0; run < bench.runs; ++run) {
        KEYSWAP_RETURN_IF_ERROR(run_once(bench, keys, memory, engine, row));
    }
    return row;
}

void print_range_row(RangeBenchRow const& row, std::ostream& out) {
    RangeBenchRun const& run = row.median();
    SortShape const& shape = row.input.request.config;
    double const GB = static_cast<double>(row.size_bytes) / 1e9;
    auto const rate = [&](double seconds) {
        bool const is_short = seconds < 0.005; // GPUs that distribute elements count them, too
        return printed("%.2f", seconds) + " s" +
               (is_short ? "\n" : "  " + printed("%.1f", GB / seconds) + " GB/s\n");
    };
    out << "\n"
        << grouped_count(row.input.request.config.key_count) << ' ' << to_string(shape.key_type)
        << " keys, values " << to_string(shape.value_type) << ", "
        << row.input.request.keys->distribution << " (" << printed("%.1f", GB) << " GB) by "
        << row.engine << ", " << row.input.threads << " threads\n"
        << "  " << row.range_count << " ranges of at most " << grouped_count(row.records_max)
        << "; a GPU holds " << printed("%.2f", static_cast<double>(row.bytes_per_gpu) / 1e9)
        << " GB; arrays allocated in " << printed("%.2f", row.allocate_s) << " s, pinned in "
        << printed("%.2f", row.pin_s) << " s\n"
        << "  partition: counts  " << rate(run.count_s) << "  partition: moves   "
        << rate(run.move_s) << "  ranges             " << rate(run.sort_s)
        << "  whole              " << rate(run.seconds());
    if (row.transfer_s > 0) {
        out << "  transfers alone    " << rate(row.transfer_s) << "  their share of the ranges "
            << printed("%.3f", row.range_share()) << ", of the whole "
            << printed("%.3f", row.share()) << '\n';
    }
    out << "  sorted and a permutation: " << (row.holds ? "yes" : "NO") << std::endl;
}

} // namespace keyswap::tools
