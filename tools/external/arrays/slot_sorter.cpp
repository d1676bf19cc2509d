#include "tools/external/arrays/slot_sorter.hpp"

#include "tools/external/arrays/pair_arrays.hpp"
#include "tools/external/pipeline/parallel_parts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <type_traits>

namespace keyswap::tools {

namespace {

/// Record count of the largest unplaced range, at most that of a slot.
std::uint64_t most_records(ExternalRun const& run) {
    std::uint64_t most = 0;
    for (RangeState const& range : run.manifest.ranges) {
        most = std::max(most, range.is_placed ? 0 : range.count);
    }
    return std::min(most, run.memory.records_max);
}

} // namespace

SlotSorter::SlotSorter(ExternalRun& run)
    : run_(run), method_(range_method(run.job.layout)), shape_(range_shape(run.job.layout)),
      records_max_(most_records(run)) {
    std::uint64_t const key_bytes = records_max_ * key_size_bytes(shape_.key_type);
    std::uint64_t const value_bytes = records_max_ * value_size_bytes(shape_.value_type);
    if (method_ != RangeMethod::keys) {
        keys_ = run_.arena.take_aligned(key_bytes);
    }
    if (method_ == RangeMethod::pairs) {
        values_ = run_.arena.take_aligned(value_bytes);
    }
    scratch_ = run_.arena.take_aligned(key_bytes);
    value_scratch_ = run_.arena.take_aligned(value_bytes);
}

Slot SlotSorter::take_slot() {
    std::uint64_t const size_bytes = records_max_ * run_.job.layout.record_bytes;
    bool const has_order = method_ == RangeMethod::packed_order || method_ == RangeMethod::order;
    auto const records = run_.arena.take_aligned(size_bytes);
    return {records,
            view_as<std::uint32_t>(
                run_.arena.take_aligned(has_order ? records_max_ * sizeof(std::uint32_t) : 0))};
}

Expected<void> SlotSorter::sort(Slot const& slot, std::uint64_t count) {
    auto const records = slot.records.first(count * run_.job.layout.record_bytes);
    switch (method_) {
    case RangeMethod::keys:
        return sort_arrays({records, {}, scratch_.first(records.size()), {}});
    case RangeMethod::pairs:
        return sort_pairs(records);
    default:
        return find_order(records, slot.order.first(count));
    }
}

Expected<void> SlotSorter::sort_arrays(RangeArrays const& arrays) {
    pin(arrays.keys.data(), records_max_ * key_size_bytes(shape_.key_type));
    if (!arrays.values.empty()) {
        pin(arrays.values.data(), records_max_ * value_size_bytes(shape_.value_type));
    }
    return run_.job.engine->sort(arrays);
}

void SlotSorter::pin(std::byte* memory, std::uint64_t size_bytes) {
    std::shared_ptr<void const>& held = pins_[memory];
    if (held == nullptr) {
        held = run_.job.engine->pin({memory, size_bytes});
    }
}

/// Views of the engine's arrays, for records that are not sorted in place.
RangeArrays SlotSorter::arrays_of(std::uint64_t count, std::span<std::byte> values) const {
    std::uint64_t const key_bytes = count * key_size_bytes(shape_.key_type);
    std::uint64_t const value_bytes = count * value_size_bytes(shape_.value_type);
    return {keys_.first(key_bytes),
            values.first(value_bytes),
            scratch_.first(key_bytes),
            value_scratch_.first(value_bytes)};
}

Expected<void> SlotSorter::sort_pairs(std::span<std::byte> records) {
    model::RecordLayout const& layout = run_.job.layout;
    std::size_t const size = layout.record_bytes;
    RangeArrays const arrays = arrays_of(records.size() / size, values_);
    auto const each = [&](auto const& move) {
        return for_each_share(
            run_.job, records.size() / size, [&](std::size_t begin, std::size_t end) {
                move(records.subspan(begin * size, (end - begin) * size),
                     part_of_arrays(layout, arrays, begin, end - begin));
            });
    };
    KEYSWAP_RETURN_IF_ERROR(each([&](std::span<std::byte> some, RangeArrays const& part) {
        split_records(layout, some, part);
    }));
    KEYSWAP_RETURN_IF_ERROR(sort_arrays(arrays));
    return each([&](std::span<std::byte> some, RangeArrays const& part) {
        join_records(layout, part, some);
    });
}

Expected<void> SlotSorter::find_order(std::span<std::byte const> records,
                                      std::span<std::uint32_t> order) {
    return model::with_image_reader(run_.job.layout, [&](auto const& reader) -> Expected<void> {
        using Word = std::decay_t<decltype(reader(nullptr))>;
        std::size_t const size = run_.job.layout.record_bytes;
        auto const images = view_as<Word>(keys_).first(order.size());
        bool const packed = method_ == RangeMethod::packed_order;
        KEYSWAP_RETURN_IF_ERROR(
            for_each_share(run_.job, order.size(), [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) {
                    Word const image = reader(records.data() + i * size);
                    images[i] = packed ? static_cast<Word>(image << range_index_bits) | i : image;
                    order[i] = static_cast<std::uint32_t>(i);
                }
            }));
        KEYSWAP_RETURN_IF_ERROR(
            sort_arrays(arrays_of(order.size(), std::as_writable_bytes(order))));
        return !packed ? Expected<void>{}
                       : for_each_share(
                             run_.job, order.size(), [&](std::size_t begin, std::size_t end) {
                                 for (std::size_t i = begin; i < end; ++i) {
                                     order[i] = static_cast<std::uint32_t>(images[i]);
                                 }
                             });
    });
}

} // namespace keyswap::tools
