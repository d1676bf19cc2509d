#include "tools/external/arrays/range_engine.hpp"

#include "kernels/cpu/cpu_sort.hpp"
#include "kernels/device/key_image.hpp"
#include "model/external/external_accesses.hpp"
#include "tools/external/arrays/word_sort.hpp"
#include "tools/external/pipeline/buffer_arena.hpp"
#include "tools/external/pipeline/each_part.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <optional>

namespace keyswap::tools {

namespace {

/// Type of the bytes after a leading key; nullopt if no sort supports such values.
std::optional<ValueType> value_type_of(model::RecordLayout const& layout) {
    if (layout.is_bytes() || layout.key_offset != 0) {
        return std::nullopt;
    }
    switch (layout.record_bytes - layout.key_bytes) {
    case 4:
        return ValueType::bits32;
    case 8:
        return ValueType::bits64;
    default:
        return std::nullopt;
    }
}

class CpuRangeEngine final : public RangeEngine {
  public:
    explicit CpuRangeEngine(unsigned threads) : threads_(threads) {}

    [[nodiscard]] std::string name() const override { return "cores"; }
    void describe(RunHeader& header) const override { header.variant = "buffered-radix"; }

    Expected<void> prepare(SortShape const& shape, std::uint64_t /*count_max*/) override {
        shape_ = shape;
        return {};
    }
    std::shared_ptr<void const> pin(std::span<std::byte> /*memory*/) override { return nullptr; }

    Expected<void> sort(RangeArrays const& arrays) override {
        if (shape_.value_type != ValueType::none) {
            kernels::CpuSortOptions options;
            static_cast<SortShape&>(options) = shape_;
            options.threads = threads_for(arrays);
            return kernels::sort_on_cpu(
                options,
                {arrays.keys, arrays.values, arrays.key_scratch, arrays.value_scratch},
                nullptr);
        }
        try {
            sort_keys(arrays);
            return {};
        } catch (std::system_error const& error) {
            return tl::unexpected(threads_missing(threads_, error));
        }
    }

    Expected<void> sort_ranges(std::function<std::optional<RangeTask>()> const& next,
                               std::function<void()> const& finished) override {
        while (auto const task = next()) {
            KEYSWAP_EXPECTS(task->pieces.size() == 1);
            RangeElements const& piece = task->pieces.front();
            KEYSWAP_RETURN_IF_ERROR(
                sort({piece.keys, piece.values, task->scratch.keys, task->scratch.values}));
            KEYSWAP_RETURN_IF_ERROR(copy_pieces(*task, threads_));
            finished();
        }
        return {};
    }

  private:
    /// A sort with little memory has hundreds of small ranges; each is sorted before a second
    /// thread has started.
    [[nodiscard]] unsigned threads_for(RangeArrays const& arrays) const {
        return model::useful_threads(arrays.keys.size() + arrays.values.size(), threads_);
    }

    void sort_keys(RangeArrays const& arrays) const {
        switch (key_size_bytes(shape_.key_type)) {
        case sizeof(std::uint32_t):
            return sort_keys_of<std::uint32_t>(arrays);
        case sizeof(std::uint64_t):
            return sort_keys_of<std::uint64_t>(arrays);
        default:
            return sort_keys_of<model::uint128>(arrays);
        }
    }

    template <class Word>
    void sort_keys_of(RangeArrays const& arrays) const {
        auto const keys = view_as<Word>(arrays.keys);
        unsigned const threads = threads_for(arrays);
        auto const code = kernels::image_code(shape_.key_type, shape_.direction);
        auto const recode = [&](auto const& code_of) {
            kernels::run_on_threads(threads, [&](unsigned thread) {
                auto const [begin, end] = kernels::block_of(keys.size(), threads, thread);
                for (Word& key : keys.subspan(begin, end - begin)) {
                    key = code_of(key, code);
                }
            });
        };
        if (!code.is_identity()) {
            recode([](Word key, auto const& by) { return kernels::encode_image(key, by); });
        }
        sort_words(keys, view_as<Word>(arrays.key_scratch), threads);
        if (!code.is_identity()) {
            recode([](Word image, auto const& by) { return kernels::decode_image(image, by); });
        }
    }

    SortShape shape_;
    unsigned threads_;
};

} // namespace

RangeElements RangeElements::part(std::uint64_t first, std::uint64_t some) const {
    auto const of = [&](std::span<std::byte> array) {
        std::uint64_t const element_bytes = count == 0 ? 0 : array.size() / count;
        return array.subspan(first * element_bytes, some * element_bytes);
    };
    return {of(keys), of(values), some};
}

RangeElements elements_of(RangeArrays const& arrays, std::size_t key_bytes) {
    return {arrays.keys, arrays.values, arrays.keys.size() / key_bytes};
}

RangeElements scratch_of(RangeArrays const& arrays, std::size_t key_bytes) {
    return {arrays.key_scratch, arrays.value_scratch, arrays.keys.size() / key_bytes};
}

std::vector<RangeElements>
part_of_pieces(std::span<RangeElements const> pieces, std::uint64_t first, std::uint64_t count) {
    std::vector<RangeElements> part;
    for (RangeElements const& piece : pieces) {
        if (first < piece.count && count > 0) {
            part.push_back(piece.part(first, std::min(count, piece.count - first)));
            count -= part.back().count;
            first = 0;
        } else {
            first -= std::min(first, piece.count);
        }
    }
    return part;
}

Expected<void> copy_pieces(RangeTask const& task, unsigned threads) {
    if (task.sorted.keys.data() == task.pieces.front().keys.data()) {
        return {};
    }
    return for_each_part(
        threads, threads, [&](std::size_t part, unsigned /*thread*/) -> Expected<void> {
            auto const [begin, end] =
                kernels::block_of(task.sorted.count, threads, static_cast<unsigned>(part));
            std::uint64_t at = begin;
            for (RangeElements const& from : part_of_pieces(task.pieces, begin, end - begin)) {
                RangeElements const to = task.sorted.part(at, from.count);
                std::ranges::copy(from.keys, to.keys.begin());
                std::ranges::copy(from.values, to.values.begin());
                at += from.count;
            }
            return {};
        });
}

RangeMethod range_method(model::RecordLayout const& layout) {
    if (layout.is_plain_key()) {
        return RangeMethod::keys;
    }
    if (value_type_of(layout)) {
        return RangeMethod::pairs;
    }
    int const word_bits = layout.key_bytes <= 8 ? 64 : 128;
    return layout.image_bits() + range_index_bits <= word_bits ? RangeMethod::packed_order
                                                               : RangeMethod::order;
}

SortShape range_shape(model::RecordLayout const& layout) {
    SortShape shape;
    RangeMethod const method = range_method(layout);
    if (method == RangeMethod::keys || method == RangeMethod::pairs) {
        shape.key_type = layout.key_type;
        shape.direction = layout.direction;
    } else {
        shape.key_type = layout.key_bytes <= 8 ? KeyType::u64 : KeyType::u128;
    }
    if (method == RangeMethod::pairs) {
        shape.value_type = *value_type_of(layout);
    } else if (method == RangeMethod::order) {
        shape.value_type = ValueType::bits32;
    }
    shape.stability = shape.value_type == ValueType::none ? Stability::unstable : Stability::stable;
    return shape;
}

std::shared_ptr<RangeEngine> make_cpu_range_engine(unsigned threads) {
    return std::make_shared<CpuRangeEngine>(threads);
}

} // namespace keyswap::tools
