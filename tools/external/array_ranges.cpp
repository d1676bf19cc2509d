#include "tools/external/array_ranges.hpp"

#include "kernels/cpu/line_buffers.hpp"
#include "kernels/cpu/thread_team.hpp"
#include "model/external/external_records.hpp"
#include "model/keys/interval_slots.hpp"
#include "tools/external/buffer_arena.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <optional>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

namespace keyswap::tools {

namespace {

using kernels::block_of;
using kernels::run_on_threads;

struct NoValue {};

/// Where a range's elements lie.
enum class Home { arrays, room };

/// A range of the arrays, or of as many elements of the room.
struct ArrayPart {
    std::uint64_t begin = 0;
    Home home = Home::arrays;
};

/// Calls `function` with a value of the width's word, or with NoValue.
template <class Function>
decltype(auto) with_word(std::size_t bytes, Function const& function) {
    switch (bytes) {
    case 0:
        return function(NoValue{});
    case sizeof(std::uint32_t):
        return function(std::uint32_t{});
    case sizeof(std::uint64_t):
        return function(std::uint64_t{});
    default:
        return function(model::uint128{});
    }
}

/// Adds the time until its end.
class Timed {
  public:
    explicit Timed(double& seconds) : seconds_(seconds) {}
    Timed(Timed const&) = delete;
    Timed& operator=(Timed const&) = delete;
    ~Timed() {
        seconds_ +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }

  private:
    double& seconds_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

class SortByRanges {
  public:
    SortByRanges(ArrayRanges const& sort, RangeArrays const& arrays)
        : sort_(sort), layout_(layout_of_arrays(sort.shape)), arrays_(arrays),
          key_bytes_(key_size_bytes(sort.shape.key_type)),
          value_bytes_(value_size_bytes(sort.shape.value_type)) {
        result_.ranges.push_back(model::whole_input(layout_, arrays.keys.size() / key_bytes_));
        parts_.push_back({});
    }

    Expected<ArrayRangesResult> carry_out() {
        std::vector<std::size_t> undecided{0}; // the lowest range is the last
        while (!undecided.empty()) {
            std::size_t const id = undecided.back();
            undecided.pop_back();
            KeyRangeRecord const range = result_.ranges[id];
            if (model::is_oversized(sort_.memory, model::images_of(range), range.count)) {
                std::size_t const first = result_.ranges.size();
                divide(id);
                for (std::size_t child = result_.ranges.size(); child-- > first;) {
                    undecided.push_back(child);
                }
            } else if (range.count > 0) {
                result_.ranges[id].place = parts_[id].begin;
                (range.lowest == range.highest ? single_valued_ : sorted_).push_back(id);
            }
        }
        KEYSWAP_RETURN_IF_ERROR(sort_ranges());
        return std::move(result_);
    }

  private:
    /// Elements of a range in the arrays or in the room.
    [[nodiscard]] RangeArrays elements(std::size_t id) const {
        std::uint64_t const begin = parts_[id].begin;
        std::uint64_t const count = result_.ranges[id].count;
        auto const part = [&](std::span<std::byte> array, std::size_t element_bytes) {
            return array.empty() ? array
                                 : array.subspan(begin * element_bytes, count * element_bytes);
        };
        RangeArrays const here{part(arrays_.keys, key_bytes_),
                               part(arrays_.values, value_bytes_),
                               part(arrays_.key_scratch, key_bytes_),
                               part(arrays_.value_scratch, value_bytes_)};
        return parts_[id].home == Home::arrays
                   ? here
                   : RangeArrays{here.key_scratch, here.value_scratch, here.keys, here.values};
    }

    /// Calls `function` with a reader of images and words of a key and of a value.
    template <class Function>
    void with_types(Function const& function) const {
        auto const keys = model::layout_of_keys(sort_.shape.key_type, sort_.shape.direction);
        model::with_image_reader(keys, [&](auto const& reader) {
            with_word(key_bytes_, [&](auto word) {
                if constexpr (!std::is_same_v<decltype(word), NoValue>) {
                    with_word(value_bytes_, [&](auto value) { function(reader, word, value); });
                }
            });
        });
    }

    /// Distributes a range among its children, which lie where the range does not.
    void divide(std::size_t id) {
        KeyRangeRecord const range = result_.ranges[id];
        RangeArrays const from = elements(id);
        with_types([&](auto const& reader, auto word, auto value) {
            using Slots = model::IntervalSlots<std::decay_t<decltype(reader(nullptr))>>;
            std::vector<model::CountedInterval> children;
            std::vector<std::vector<std::uint64_t>> places;
            std::optional<Slots> slots;
            {
                Timed const timed(result_.count_seconds);
                for (model::ImageInterval const images : choose(range, reader, from)) {
                    children.push_back({images, children.size()});
                }
                slots.emplace(children, layout_.image_bits());
                places = count<decltype(word)>(from, reader, *slots, children.size());
                begin_children(id, children, places);
            }
            Timed const timed(result_.move_seconds);
            move<decltype(word), decltype(value)>(from, reader, *slots, places);
        });
    }

    template <class Reader>
    std::vector<model::ImageInterval>
    choose(KeyRangeRecord const& range, Reader const& reader, RangeArrays const& from) {
        model::RangeTarget const target = model::range_target(sort_.memory, range.count);
        std::vector<model::uint128> sample;
        for (std::uint64_t const position :
             model::sample_positions(target, model::external_sample_seed)) {
            sample.push_back(reader(from.keys.data() + position * key_bytes_));
        }
        auto ranges = model::choose_ranges(sample, target, model::images_of(range));
        result_.divisions.push_back(model::division_record(layout_,
                                                           sort_.memory,
                                                           range,
                                                           {model::external_sample_seed, false},
                                                           sample,
                                                           ranges.size()));
        return ranges;
    }

    /// Keys of each child, by thread.
    template <class Word, class Reader, class Slots>
    std::vector<std::vector<std::uint64_t>> count(RangeArrays const& from,
                                                  Reader const& reader,
                                                  Slots const& slots,
                                                  std::size_t children) const {
        auto const keys = view_as<Word const>(from.keys);
        std::vector<std::vector<std::uint64_t>> counts(sort_.threads);
        run_on_threads(sort_.threads, [&](unsigned thread) {
            std::vector<std::uint64_t> own(children); // not in a cache line of other threads
            auto const [begin, end] = block_of(keys.size(), sort_.threads, thread);
            for (Word const& key : keys.subspan(begin, end - begin)) {
                ++own[slots.slot_of(reader(reinterpret_cast<std::byte const*>(&key)))];
            }
            counts[thread] = std::move(own);
        });
        return counts;
    }

    /// Adds the children of a range, and makes counts of theirs their places within the range.
    void begin_children(std::size_t id,
                        std::vector<model::CountedInterval> const& intervals,
                        std::vector<std::vector<std::uint64_t>>& counts) {
        std::uint64_t place = 0;
        for (model::CountedInterval const& child : intervals) {
            std::uint64_t const begin = place;
            for (auto& of_thread : counts) {
                place += std::exchange(of_thread[child.slot], place);
            }
            result_.ranges.push_back({result_.ranges.size(),
                                      id,
                                      model::key_image(child.images.lowest),
                                      model::key_image(child.images.highest),
                                      place - begin,
                                      std::nullopt,
                                      std::nullopt,
                                      std::nullopt});
            parts_.push_back({parts_[id].begin + begin,
                              parts_[id].home == Home::arrays ? Home::room : Home::arrays});
        }
    }

    template <class Word, class Value, class Reader, class Slots>
    void move(RangeArrays const& from,
              Reader const& reader,
              Slots const& slots,
              std::vector<std::vector<std::uint64_t>> const& places) const {
        constexpr bool has_values = !std::is_same_v<Value, NoValue>;
        auto const keys = view_as<Word const>(from.keys);
        run_on_threads(sort_.threads, [&](unsigned thread) {
            auto const [begin, end] = block_of(keys.size(), sort_.threads, thread);
            std::span const starts(places[thread]);
            kernels::LineBuffers<Word> key_lines(view_as<Word>(from.key_scratch), starts);
            auto const put_key = [&](std::size_t i) {
                std::size_t const child =
                    slots.slot_of(reader(reinterpret_cast<std::byte const*>(&keys[i])));
                key_lines.put(child, keys[i]);
                return child;
            };
            if constexpr (has_values) {
                auto const values = view_as<Value const>(from.values);
                kernels::LineBuffers<Value> value_lines(view_as<Value>(from.value_scratch), starts);
                for (std::size_t i = begin; i < end; ++i) {
                    value_lines.put(put_key(i), values[i]);
                }
                value_lines.finish();
            } else {
                for (std::size_t i = begin; i < end; ++i) {
                    put_key(i);
                }
            }
            key_lines.finish();
        });
    }

    /// Sorts the ranges; those of one value are copied meanwhile.
    Expected<void> sort_ranges() {
        Timed const timed(result_.sort_seconds);
        std::jthread const copies([this] { copy_single_valued(); });
        std::size_t next = 0;
        return sort_.engine->sort_ranges(
            [&]() -> std::optional<RangeTask> {
                if (next == sorted_.size()) {
                    return std::nullopt;
                }
                std::size_t const id = sorted_[next++];
                return RangeTask{elements(id),
                                 parts_[id].home == Home::room ? RangeResult::in_scratch
                                                               : RangeResult::in_place};
            },
            [] {});
    }

    void copy_single_valued() const {
        for (std::size_t const id : single_valued_) {
            if (parts_[id].home == Home::room) {
                copy_to_scratch(elements(id), sort_.threads);
            }
        }
    }

    ArrayRanges const& sort_;
    model::RecordLayout layout_;
    RangeArrays const& arrays_;
    std::size_t key_bytes_;
    std::size_t value_bytes_;
    ArrayRangesResult result_;
    std::vector<ArrayPart> parts_; ///< by id
    std::vector<std::size_t> sorted_;
    std::vector<std::size_t> single_valued_;
};

} // namespace

model::RecordLayout layout_of_arrays(SortShape const& shape) {
    model::RecordLayout layout = model::layout_of_keys(shape.key_type, shape.direction);
    layout.record_bytes += static_cast<std::uint32_t>(value_size_bytes(shape.value_type));
    return layout;
}

Expected<ArrayRangesResult> sort_by_ranges(ArrayRanges const& sort, RangeArrays const& arrays) {
    try {
        return SortByRanges(sort, arrays).carry_out();
    } catch (std::system_error const& error) {
        return tl::unexpected(threads_missing(sort.threads, error));
    }
}

} // namespace keyswap::tools
