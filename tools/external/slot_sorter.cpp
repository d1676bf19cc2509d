#include "tools/external/slot_sorter.hpp"

#include "kernels/cpu/thread_team.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <type_traits>

namespace keyswap::tools {

namespace {

constexpr std::uint64_t thread_bytes_min = std::uint64_t{1} << 20; ///< less costs more to hand out

/// Calls `function` with the bytes of a key or value as a constant.
template <class Function>
decltype(auto) with_width(std::size_t bytes, Function const& function) {
    switch (bytes) {
    case 4:
        return function(std::integral_constant<std::size_t, 4>{});
    case 8:
        return function(std::integral_constant<std::size_t, 8>{});
    default:
        return function(std::integral_constant<std::size_t, 16>{});
    }
}

} // namespace

SlotSorter::SlotSorter(ExternalRun& run)
    : run_(run), method_(range_method(run.job.layout)), shape_(range_shape(run.job.layout)),
      records_max_(std::min(run.memory.records_max, run.job.record_count())) {
    std::uint64_t const key_bytes = records_max_ * key_size_bytes(shape_.key_type);
    std::uint64_t const value_bytes = records_max_ * value_size_bytes(shape_.value_type);
    if (method_ != RangeMethod::keys) {
        keys_ = take_pinned(key_bytes);
    }
    if (method_ == RangeMethod::pairs) {
        values_ = take_pinned(value_bytes);
    }
    scratch_ = run_.arena.take_aligned(key_bytes);
    value_scratch_ = run_.arena.take_aligned(value_bytes);
}

Slot SlotSorter::take_slot() {
    std::uint64_t const size_bytes = records_max_ * run_.job.layout.record_bytes;
    switch (method_) {
    case RangeMethod::keys:
        return {take_pinned(size_bytes), {}};
    case RangeMethod::pairs:
        return {run_.arena.take_aligned(size_bytes), {}};
    default:
        return {run_.arena.take_aligned(size_bytes),
                view_as<std::uint32_t>(take_pinned(records_max_ * sizeof(std::uint32_t)))};
    }
}

Expected<void> SlotSorter::sort(Slot const& slot, std::uint64_t count) {
    auto const records = slot.records.first(count * run_.job.layout.record_bytes);
    switch (method_) {
    case RangeMethod::keys:
        return run_.job.engine->sort({records, {}, scratch_.first(records.size()), {}});
    case RangeMethod::pairs:
        return sort_pairs(records);
    default:
        return find_order(records, slot.order.first(count));
    }
}

std::span<std::byte> SlotSorter::take_pinned(std::uint64_t size_bytes) {
    auto const bytes = run_.arena.take_aligned(size_bytes);
    pins_.push_back(run_.job.engine->pin(bytes));
    return bytes;
}

/// The arrays that the engine sorts where it does not sort records as they lie.
RangeArrays SlotSorter::arrays_of(std::uint64_t count, std::span<std::byte> values) const {
    std::uint64_t const key_bytes = count * key_size_bytes(shape_.key_type);
    std::uint64_t const value_bytes = count * value_size_bytes(shape_.value_type);
    return {keys_.first(key_bytes),
            values.first(value_bytes),
            scratch_.first(key_bytes),
            value_scratch_.first(value_bytes)};
}

Expected<void> SlotSorter::sort_pairs(std::span<std::byte> records) {
    std::size_t const size = run_.job.layout.record_bytes;
    std::uint64_t const count = records.size() / size;
    RangeArrays const arrays = arrays_of(count, values_);
    unsigned const threads = threads_for(run_.job, records.size());
    return with_width(run_.job.layout.key_bytes, [&](auto key_bytes) {
        return with_width(size - key_bytes, [&](auto value_bytes) -> Expected<void> {
            auto const each = [&](auto const& move) {
                return on_threads(threads, [&](unsigned thread) {
                    auto const [begin, end] = kernels::block_of(count, threads, thread);
                    for (std::size_t i = begin; i < end; ++i) {
                        move(records.data() + i * size,
                             arrays.keys.data() + i * key_bytes,
                             arrays.values.data() + i * value_bytes);
                    }
                });
            };
            auto const split = [&](std::byte const* record, std::byte* key, std::byte* value) {
                std::memcpy(key, record, key_bytes);
                std::memcpy(value, record + key_bytes, value_bytes);
            };
            auto const join = [&](std::byte* record, std::byte const* key, std::byte const* value) {
                std::memcpy(record, key, key_bytes);
                std::memcpy(record + key_bytes, value, value_bytes);
            };
            KEYSWAP_RETURN_IF_ERROR(each(split));
            KEYSWAP_RETURN_IF_ERROR(run_.job.engine->sort(arrays));
            return each(join);
        });
    });
}

Expected<void> SlotSorter::find_order(std::span<std::byte const> records,
                                      std::span<std::uint32_t> order) {
    return model::with_image_reader(run_.job.layout, [&](auto const& reader) -> Expected<void> {
        using Word = std::decay_t<decltype(reader(nullptr))>;
        std::size_t const size = run_.job.layout.record_bytes;
        auto const images = view_as<Word>(keys_).first(order.size());
        bool const packed = method_ == RangeMethod::packed_order;
        for (std::size_t i = 0; i < images.size(); ++i) {
            Word const image = reader(records.data() + i * size);
            images[i] = packed ? static_cast<Word>(image << range_index_bits) | i : image;
        }
        if (!packed) {
            std::iota(order.begin(), order.end(), 0U);
        }
        KEYSWAP_RETURN_IF_ERROR(
            run_.job.engine->sort(arrays_of(order.size(), std::as_writable_bytes(order))));
        if (packed) {
            std::ranges::transform(
                images, order.begin(), [](Word word) { return static_cast<std::uint32_t>(word); });
        }
        return {};
    });
}

unsigned threads_for(ExternalJob const& job, std::uint64_t size_bytes) {
    return static_cast<unsigned>(
        std::clamp<std::uint64_t>(size_bytes / thread_bytes_min, 1, job.threads));
}

Expected<void> on_threads(unsigned threads, std::function<void(unsigned thread)> const& work) {
    if (threads == 1) {
        work(0);
        return {};
    }
    try {
        kernels::run_on_threads(threads, work);
        return {};
    } catch (std::system_error const& error) {
        return tl::unexpected(threads_missing(threads, error));
    }
}

} // namespace keyswap::tools
