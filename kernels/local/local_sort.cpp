#include "kernels/local/local_sort.hpp"

#include "kernels/device/stream.hpp"
#include "kernels/faults/device_faults.hpp"
#include "kernels/primitives/leaves/quicksort_leaves.hpp"
#include "kernels/primitives/steps/stretch_counts.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

namespace keyswap::kernels {

namespace {

LeafSizes leaf_sizes_of(RunContext const& context) {
    return limited(leaf_sizes(context.shape.key_bytes, context.shape.value_bytes),
                   context.tuning.leaf_max);
}

} // namespace

std::uint32_t leaf_of(RunContext const& context) {
    return leaf_sizes_of(context).back();
}

LocalSort::LocalSort(RunContext const& context,
                     GpuState& gpu,
                     LocalMemory const& memory,
                     LocalWork work,
                     LocalLevels levels)
    : context_(context), gpu_(gpu), memory_(memory), method_(levels.method),
      leading_(levels.counts_ahead ? LeadingCounts{memory.leading.data()} : work.leading),
      counts_leading_(levels.counts_ahead && leading_.words != nullptr),
      leaf_sizes_(levels.method == LevelMethod::splitters_published ? quicksort_leaf_sizes
                                                                    : leaf_sizes_of(context)),
      digits_(context.shape, leaf_sizes_.back(), levels),
      piece_keys_(work.piece_keys == 0 ? ~std::uint64_t{0} : work.piece_keys),
      piece_end_(piece_keys_), first_buffer_(gpu.buffers.current) {
    KEYSWAP_EXPECTS(work.arrived.empty() ||
                    (method_ != LevelMethod::splitters_published && !levels.dense));
    KEYSWAP_EXPECTS(!levels.counts_ahead || (work.ranges.size() <= 1 && work.arrived.empty()));
    gpu.buffers.current = 1 - first_buffer_; // buffer of the result
    for (SortRangeRecord const& range : work.ranges) {
        enqueue(range);
        end_ = std::max(end_, range.offset + range.count);
    }
    for (ArrivedSegment const& segment : work.arrived) {
        enqueue(segment);
        end_ = std::max(end_, segment.begin + segment.count);
    }
}

/// Queues a range like a child of a finished level whose size the host knows.
void LocalSort::enqueue(SortRangeRecord const& range) {
    std::uint64_t const extra = has_fault(DeviceFault::leaf_above_capacity) ? 1 : 0;
    if (range.count <= leaf_sizes_.back() + extra) {
        leaf_ranges_.push_back(range);
    } else if (range.end_bit == 0) {
        in_order_.push_back({range.offset, range.count});
    } else {
        add_segment({range.offset, range.count}, context_.shape.key_bytes * 8);
    }
}

void LocalSort::enqueue(ArrivedSegment const& segment) {
    if (segment.end_bit == 0) {
        arrived_in_order_.push_back(&segment);
    } else if (digits_.is_counted(segment.count, segment.end_bit)) {
        arrived_counted_.push_back(&segment);
    } else {
        arrived_.push_back(&segment);
    }
}

void LocalSort::add_segment(KeyRange range, int end_bit) {
    Segment const segment{range, digit_of(range.count, end_bit)};
    if (range.offset < piece_end_) {
        segments_[batch_level_].push_back(segment);
    } else {
        later_.emplace_back(batch_level_, segment);
    }
}

void LocalSort::take_next_piece() {
    auto const offset_of = [](auto const& each) { return each.second.range.offset; };
    piece_end_ = std::ranges::min(later_ | std::views::transform(offset_of)) + piece_keys_;
    std::erase_if(later_, [&](auto const& each) {
        bool const is_next = each.second.range.offset < piece_end_;
        if (is_next) {
            segments_[each.first].push_back(each.second);
        }
        return is_next;
    });
}

std::uint64_t LocalSort::sorted_end() const {
    std::uint64_t end = end_;
    auto const leave = [&end](std::uint64_t offset) { end = std::min(end, offset); };
    std::ranges::for_each(in_order_, leave, &KeyRange::offset);
    std::ranges::for_each(leaf_ranges_, leave, &SortRangeRecord::offset);
    for (auto const* const arrived : {&arrived_in_order_, &arrived_counted_, &arrived_}) {
        for (ArrivedSegment const* const segment : *arrived) {
            leave(segment->begin);
        }
    }
    for (CountedRange const& counted : counted_) {
        leave(counted.range.offset);
    }
    for (auto const& [level, segments] : segments_) {
        for (Segment const& segment : segments) {
            leave(segment.range.offset);
        }
    }
    for (auto const& [level, segment] : later_) {
        leave(segment.range.offset);
    }
    return end;
}

/// Each level moves its segments to the other buffer.
std::size_t LocalSort::buffer_of(int level) const {
    return static_cast<std::size_t>((first_buffer_ + level) % 2);
}

StepBuffers LocalSort::keys_read(std::size_t from) const {
    return {gpu_.buffers.keys[from], gpu_.buffers.keys[1 - from]};
}

void LocalSort::queue_batch() {
    KEYSWAP_EXPECTS(!is_done());
    DeviceScope const scope{gpu_.device};
    batch_has_kinds_ = false;
    if (!in_order_.empty()) {
        copy_ranges(std::exchange(in_order_, {}));
    } else if (!leaf_ranges_.empty()) {
        queue_leaf_ranges();
    } else if (!arrived_in_order_.empty()) {
        copy_arrived_in_order();
    } else if (!arrived_counted_.empty()) {
        queue_arrived_counts();
    } else if (!arrived_.empty()) {
        method_ == LevelMethod::digits ? queue_arrived() : queue_arrived_by_splitters();
    } else if (!counted_.empty()) {
        queue_counts();
    } else {
        if (segments_.empty()) {
            take_next_piece();
        }
        queue_segments();
    }
    if (!batch_has_kinds_) {
        memory_.batch_known.record(gpu_.stream);
    }
}

/// The digit that divides a child of the queued batch. \param end_bit its unsorted bits
BitWindow LocalSort::digit_of(std::uint64_t count, int end_bit) const {
    if (method_ != LevelMethod::digits) {
        return {};
    }
    int const bits = digits_.bits_of(batch_level_, count, end_bit);
    bool const reads_again = has_fault(DeviceFault::level_reads_digit_again) && batch_level_ > 0;
    int const end = reads_again ? end_bit + bits : end_bit;
    return {end - bits, end};
}

BitWindow LocalSort::first_digit_of(ArrivedSegment const& segment) const {
    return {segment.end_bit - digits_.bits_of_arrived(segment.count, segment.end_bit),
            segment.end_bit};
}

bool LocalSort::is_batch_ready() const {
    // Does not select the device: tests make the n-th CUDA call fail, so the number of checked
    // calls of a sort must not depend on how often it polls.
    cudaError_t const state = cudaEventQuery(memory_.batch_known.get());
    if (state == cudaErrorNotReady) {
        static_cast<void>(cudaGetLastError()); // clears the error for the next launch
        return false;
    }
    KEYSWAP_CUDA(state);
    return true;
}

void LocalSort::await_batch() {
    DeviceScope const scope{gpu_.device};
    KEYSWAP_CUDA(cudaEventSynchronize(memory_.batch_known.get()));
    if (!batch_has_kinds_) {
        return;
    }
    sort_leaves();
    std::span<LargeChild const> const children =
        memory_.large.span().first(memory_.host_kinds.data()->large);
    for (LargeChild const& child : children) {
        digits_.check_child_size(child.count);
    }
    std::vector<KeyRange> in_order;
    for (LargeChild const& child : children) {
        KeyRange const range{child.begin, child.count};
        int const end_bit = method_ == LevelMethod::digits
                                ? batch_digits_[child.entry >> batch_child_bits_].begin
                                : 0;
        if (child.is_one_value) {
            in_order.push_back(range);
        } else if (digits_.is_counted(child.count, end_bit)) {
            counted_.push_back({range, buffer_of(batch_level_)});
        } else {
            add_segment(range, end_bit);
        }
    }
    copy_ranges(in_order);
}

} // namespace keyswap::kernels
