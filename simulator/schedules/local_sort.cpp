#include "simulator/schedules/local_sort.hpp"

#include "kernels/exchange_plan/fast_tuning.hpp"
#include "kernels/exchange_plan/upload_pieces.hpp"
#include "simulator/cost/cost_model_skew.hpp"
#include "simulator/cost/fast_cost.hpp"
#include "simulator/schedules/crowding.hpp"
#include "traces/records/key_type.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace keyswap::simulator {

namespace {

// Published sort: segments, their trees, the prefix sum of the table; then leaves.
constexpr int launches_per_published_level = 8 + 3;
constexpr int launches_of_leaves_at_last = 3;

/// Leaves that one launch sorts, a block each.
struct LeavesOfClass {
    std::uint64_t keys = 0;
    double key_sizes = 0.0; ///< sum over keys of the size of their leaf

    void add(std::uint64_t more_keys, std::uint64_t size) {
        keys += more_keys;
        key_sizes += static_cast<double>(more_keys) * static_cast<double>(size);
    }
    [[nodiscard]] std::uint64_t mean_size() const {
        return static_cast<std::uint64_t>(std::llround(key_sizes / static_cast<double>(keys)));
    }
};

/// The whole input of a GPU alone.
LocalSegment whole_segment(std::size_t key_bytes, std::uint64_t count) {
    int const bits = static_cast<int>(key_bytes) * 8;
    return {{0, (~model::uint128{0}) >> static_cast<unsigned>(128 - bits)}, count, bits, {}};
}

/// positional_order() of the keys' highest digit.
double order_of(model::KeySource& keys, std::size_t key_bytes) {
    constexpr std::uint32_t parts = 8; ///< of the input, to detect dependence on position
    BucketPrefix const all{};
    model::DigitLayout const layout(static_cast<int>(key_bytes) * 8, step_bits);
    return positional_order(
        keys.histograms(model::Chunks(keys.key_count(), parts), layout, {&all, 1}).front());
}

} // namespace

InputError missing_fast_costs(DeviceProfile const& device) {
    return {"device profile '" + device.name + "'",
            "lacks the costs of the kernels of sample sort and of variant 'fast'",
            "add a table [fast] as in the shipped profile 'h200'"};
}

std::optional<kernels::LocalLevels> single_gpu_levels(model::SortConfig const& config,
                                                      model::KeySource& keys) {
    auto const row = digit_row_of(config);
    return row ? kernels::single_gpu_levels(
                     *row,
                     config.key_count,
                     leaf_keys_of(record_of(config)),
                     kernels::FastTuning{},
                     [&](int shift) {
                         return fullest_stretch(keys, {0, config.key_count}, shift);
                     })
               : std::nullopt;
}

LocalSort::LocalSort(ScheduleBuilder& builder, DeviceProfile const& device)
    : builder_(builder), kernels_(device) {}

void LocalSort::run(LocalStep const& step, Extent extent) {
    (extent == Extent::all_at_once ? at_once_ : by_piece_).push_back(step);
}

void LocalSort::finish(std::uint32_t gpu, std::uint64_t key_count) {
    std::uint64_t const pieces =
        builder_.needs_download(gpu)
            ? std::max<std::uint64_t>(1, kernels::upload_piece_count(key_count, std::nullopt))
            : 1;
    std::vector<TaskId> last; // at most one
    auto const add = [&](KernelCost const& cost, int launches) {
        last = {builder_.launch_kernels(
            gpu, cost, launches, Phase::bucket_sort, builder_.last_barrier())};
    };
    for (auto const& [cost, launches] : std::exchange(at_once_, {})) {
        add(cost, launches);
    }
    for (LocalStep& step : by_piece_) {
        SimTime& duration = step.cost.duration;
        duration = from_seconds(to_seconds(duration) / static_cast<double>(pieces));
        step.cost.hbm_bytes /= pieces;
    }
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
        for (auto const& [cost, launches] : by_piece_) {
            add(cost, launches);
        }
        builder_.download(gpu, key_count * (piece + 1) / pieces - key_count * piece / pieces, last);
    }
    by_piece_.clear();
}

void LocalSort::run_batches(std::vector<LocalBatch> const& batches, Extent first) {
    Extent extent = first;
    for (LocalBatch const& batch : batches) {
        for (LocalStep const& step : batch.until_known) {
            run(step, extent);
        }
        for (LocalStep const& step : batch.then) {
            // The first level of splitters moves keys only after all keys have labels.
            bool const moves = step.launches == 0;
            run(step, moves ? extent : Extent::piece_by_piece);
        }
        extent = Extent::piece_by_piece;
    }
}

void LocalSort::change_images(std::uint64_t key_count) {
    run({kernels_.change_images(builder_.key_bytes(), key_count), 1}, Extent::all_at_once);
}

void LocalSort::by_digits(model::KeySource& keys, kernels::LocalLevels levels, Stability ties) {
    RecordBytes const record = builder_.record();
    LocalSegment all = whole_segment(record.key, keys.key_count());
    count_children({&all, 1}, keys);
    run({{}, launches_before}, Extent::all_at_once);
    DigitLevels divided = digit_levels({&all, 1},
                                       levels.dense     ? SegmentPlace::dense
                                       : levels.crowded ? SegmentPlace::crowded
                                                        : SegmentPlace::in_order,
                                       record,
                                       order_of(keys, record.key),
                                       &keys);
    divided.known_bits = levels.counts_ahead ? leading_bits_of(record) : 0;
    run_batches(digit_batches(kernels_, record, ties, divided), Extent::all_at_once);
}

void LocalSort::by_splitters(model::KeySource& keys, std::uint64_t segments_max) {
    LocalSegment const all = whole_segment(builder_.key_bytes(), keys.key_count());
    by_splitters({&all, 1}, sample_keys(keys), 0, segments_max);
}

void LocalSort::as_published(model::KeySource& keys) {
    LocalSegment const all = whole_segment(builder_.key_bytes(), keys.key_count());
    as_published({&all, 1}, sample_keys(keys), 0);
}

void LocalSort::by_splitters(std::span<LocalSegment const> segments,
                             KeySample const& sample,
                             std::uint64_t in_order,
                             std::uint64_t segments_max) {
    RecordBytes const record = builder_.record();
    Extent const first = segments.size() == 1 ? Extent::all_at_once : Extent::piece_by_piece;
    auto const levels = splitter_levels(segments, SegmentPlace::in_order, record, sample);
    run_batches(
        splitter_batches(kernels_, record, levels, in_order, segments_max, image_code_of(builder_)),
        first);
}

void LocalSort::as_published(std::span<LocalSegment const> segments,
                             KeySample const& sample,
                             std::uint64_t in_order) {
    constexpr int ways_bits = kernels::direct_levels;
    constexpr std::uint64_t leaf_keys_max = kernels::quicksort_leaf_sizes.back();
    RecordBytes const record = builder_.record();
    std::map<int, std::uint64_t> divided; // [level] keys
    std::array<LeavesOfClass, kernels::quicksort_leaf_sizes.size()> in_leaves;
    for (LocalSegment const& segment : segments) {
        HeavyKeys const heavy = heavy_keys(sample, segment.images, segment.count);
        std::uint64_t keys = segment.count;
        std::uint64_t segment_keys = segment.count;
        for (int level = 0; segment_keys > leaf_keys_max; ++level) {
            divided[level] += keys;
            keys = segment.count - heavy.count; // heavy values have their own buckets
            segment_keys >>= static_cast<unsigned>(ways_bits);
        }
        auto const smallest = std::ranges::lower_bound(kernels::quicksort_leaf_sizes, segment_keys);
        in_leaves[static_cast<std::size_t>(smallest - kernels::quicksort_leaf_sizes.begin())].add(
            keys, segment_keys);
    }
    run({kernels_.copy(in_order * record.sum()), launches_before});
    for (auto const& [level, keys] : divided) {
        // A level that divides a single segment precedes all pieces.
        bool const is_first = level == 0 && segments.size() == 1;
        run({kernels_.direct_step(record, keys, ways_bits), launches_per_published_level},
            is_first ? Extent::all_at_once : Extent::piece_by_piece);
    }
    for (LeavesOfClass const& leaves : in_leaves) {
        if (leaves.keys > 0) {
            run({kernels_.quicksort(record, leaves.keys, leaves.mean_size()),
                 launches_of_leaves_at_last});
        }
    }
}

} // namespace keyswap::simulator
