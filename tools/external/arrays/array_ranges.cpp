#include "tools/external/arrays/array_ranges.hpp"

#include "kernels/cpu/line_buffers.hpp"
#include "kernels/cpu/thread_team.hpp"
#include "model/external/external_records.hpp"
#include "model/keys/interval_slots.hpp"
#include "tools/build/stopwatch.hpp"
#include "tools/external/pipeline/blocking_queue.hpp"
#include "tools/external/pipeline/buffer_arena.hpp"
#include "tools/external/pipeline/each_part.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

namespace keyswap::tools {

namespace {

using kernels::block_of;
using kernels::NoValue;
using kernels::run_on_threads;

/// Calls `function` with a word of the given width, or with NoValue for width 0.
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
        return function(kernels::WideImage{});
    }
}

constexpr std::size_t lines_of_child = 4; ///< cache lines; most sorts have some tens of children

/// Calls `visit(index, child)` for each key.
template <class Word, class Reader, class Slots, class Visit>
void for_each_slot(std::span<Word const> keys,
                   Reader const& reader,
                   Slots const& slots,
                   Visit const& visit) {
    constexpr std::size_t batch = 16; // keys classified at once
    auto const image = [&](std::size_t i) {
        return reader(reinterpret_cast<std::byte const*>(&keys[i]));
    };
    std::size_t i = 0;
    for (; i + batch <= keys.size(); i += batch) {
        std::array<decltype(image(0)), batch> images;
        for (std::size_t j = 0; j < batch; ++j) {
            images[j] = image(i + j);
        }
        auto const children = slots.slots_of(images);
        for (std::size_t j = 0; j < batch; ++j) {
            visit(i + j, children[j]);
        }
    }
    for (; i < keys.size(); ++i) {
        visit(i, slots.slot_of(image(i)));
    }
}

/// Adds its lifetime to `seconds`.
class Timed {
  public:
    explicit Timed(double& seconds) : seconds_(seconds) {}
    Timed(Timed const&) = delete;
    Timed& operator=(Timed const&) = delete;
    ~Timed() { seconds_ += stopwatch_.seconds(); }

  private:
    double& seconds_;
    Stopwatch stopwatch_;
};

} // namespace

ArrayRanges::ArrayRanges(model::RecordLayout const& layout,
                         model::ExternalMemory const& memory,
                         unsigned threads,
                         RangeArrays const& arrays)
    : layout_(layout), memory_(memory), threads_(threads), arrays_(arrays),
      key_bytes_(layout.key_bytes), value_bytes_(layout.record_bytes - layout.key_bytes),
      ranges_{model::whole_input(layout, arrays.keys.size() / layout.key_bytes)}, parts_(1) {
    parts_.front().pieces.push_back(place_of(0, false));
}

Expected<void> ArrayRanges::partition(RangeEngine& engine) try {
    std::vector<std::size_t> rest{0}; // stack; the lowest range is on top
    while (!rest.empty()) {
        std::size_t const index = rest.back();
        rest.pop_back();
        KeyRangeRecord const range = ranges_[index];
        if (model::is_oversized(memory_, model::images_of(range), range.count)) {
            std::size_t const first = ranges_.size();
            KEYSWAP_RETURN_IF_ERROR(divide(index, engine));
            for (std::size_t child = ranges_.size(); child-- > first;) {
                rest.push_back(child);
            }
        } else if (range.count > 0) {
            ranges_[index].place = parts_[index].begin;
            leaves_.push_back(index);
        }
    }
    return {};
} catch (std::system_error const& error) {
    return tl::unexpected(threads_missing(threads_, error));
}

RangeTask ArrayRanges::task(std::size_t range) const {
    Part const& part = parts_[range];
    return {part.pieces,
            place_of(range, false),
            part.pieces.size() == 1 ? place_of(range, !part.is_in_scratch) : RangeElements{}};
}

/// The range's final place, in the arrays or in the scratch arrays.
RangeElements ArrayRanges::place_of(std::size_t range, bool in_scratch) const {
    return (in_scratch ? scratch_of : elements_of)(arrays_, key_bytes_)
        .part(parts_[range].begin, ranges_[range].count);
}

/// Calls `function` with an image reader, a word of the key's width and one of the value's.
template <class Function>
void ArrayRanges::with_types(Function const& function) const {
    auto const keys = model::layout_of_keys(layout_.key_type, layout_.direction);
    model::with_image_reader(keys, [&](auto const& reader) {
        with_word(key_bytes_, [&](auto word) {
            if constexpr (!std::is_same_v<decltype(word), NoValue>) {
                with_word(value_bytes_, [&](auto value) { function(reader, word, value); });
            }
        });
    });
}

/// Distributes a range among its children.
Expected<void> ArrayRanges::divide(std::size_t index, RangeEngine& engine) {
    auto const images = choose(index);
    if (index == 0) {
        KEYSWAP_TRY(bool const is_distributed, distribute(images, engine));
        if (is_distributed) {
            return {};
        }
    }
    distribute_by_cores(index, images);
    return {};
}

std::vector<model::ImageInterval> ArrayRanges::choose(std::size_t index) {
    Timed const timed(count_seconds);
    KeyRangeRecord const range = ranges_[index];
    model::RangeTarget const target = model::range_target(memory_, range.count);
    std::vector<model::uint128> sample;
    std::span<std::byte const> const keys = parts_[index].pieces.front().keys;
    auto const layout = model::layout_of_keys(layout_.key_type, layout_.direction);
    model::with_image_reader(layout, [&](auto const& reader) {
        for (std::uint64_t const position :
             model::sample_positions(target, model::external_sample_seed)) {
            sample.push_back(reader(keys.data() + position * key_bytes_));
        }
    });
    auto ranges = model::choose_ranges(sample, target, model::images_of(range));
    divisions_.push_back(model::division_record(
        layout_, memory_, range, {model::external_sample_seed, false}, sample, ranges.size()));
    return ranges;
}

/// Lets the engine's GPUs distribute all elements.
/// \return false if they cannot or if a range exceeds the memory; the arrays are then unchanged
Expected<bool> ArrayRanges::distribute(std::span<model::ImageInterval const> images,
                                       RangeEngine& engine) {
    std::uint64_t const count = ranges_.front().count;
    if (model::range_target(memory_, count).planned_records() > memory_.records_max) {
        return false; // the children have to be divided again
    }
    Timed const timed(move_seconds);
    std::vector<KeyImage> highest;
    for (model::ImageInterval const interval : images) {
        highest.push_back(model::key_image(interval.highest));
    }
    KEYSWAP_TRY(auto const blocks, engine.distribute(arrays_, highest));
    if (!blocks) {
        return false;
    }
    std::vector<std::uint64_t> totals(images.size());
    std::vector<std::vector<RangeElements>> pieces(images.size());
    RangeElements const all = scratch_of(arrays_, key_bytes_);
    for (std::size_t block = 0; block < blocks->counts.size(); ++block) {
        std::uint64_t at = block * blocks->block_size;
        for (std::size_t child = 0; child < images.size(); ++child) {
            std::uint64_t const some = blocks->counts[block][child];
            if (some > 0) {
                pieces[child].push_back(all.part(at, some));
                totals[child] += some;
                at += some;
            }
        }
    }
    for (std::size_t child = 0; child < images.size(); ++child) {
        if (model::is_oversized(memory_, images[child], totals[child])) {
            return false;
        }
    }
    std::size_t const first = ranges_.size();
    append_children(0, images, totals);
    for (std::size_t child = 0; child < images.size(); ++child) {
        parts_[first + child].pieces = std::move(pieces[child]);
    }
    return true;
}

/// Moves a range's elements from the arrays that hold them to the other ones.
void ArrayRanges::distribute_by_cores(std::size_t index,
                                      std::span<model::ImageInterval const> images) {
    RangeElements const from = parts_[index].pieces.front();
    RangeElements const to = place_of(index, !parts_[index].is_in_scratch);
    with_types([&](auto const& reader, auto word, auto value) {
        using Slots = model::IntervalSlots<std::decay_t<decltype(reader(nullptr))>>;
        std::vector<std::vector<std::uint64_t>> places; // [threads][children]: counts at first
        std::optional<Slots> slots;
        {
            Timed const timed(count_seconds);
            std::vector<model::CountedInterval> counted;
            counted.reserve(images.size());
            for (model::ImageInterval const interval : images) {
                counted.push_back({interval, counted.size()});
            }
            slots.emplace(counted, layout_.image_bits());
            places = count<decltype(word)>(from.keys, reader, *slots, images.size());
            std::vector<std::uint64_t> totals(images.size());
            std::uint64_t place = 0;
            for (std::size_t child = 0; child < images.size(); ++child) {
                std::uint64_t const begin = place;
                for (auto& of_thread : places) {
                    place += std::exchange(of_thread[child], place);
                }
                totals[child] = place - begin;
            }
            append_children(index, images, totals);
        }
        Timed const timed(move_seconds);
        move<decltype(word), decltype(value)>(from, to, reader, *slots, places);
    });
}

/// Counts keys: [threads][children].
template <class Word, class Reader, class Slots>
std::vector<std::vector<std::uint64_t>> ArrayRanges::count(std::span<std::byte> from,
                                                           Reader const& reader,
                                                           Slots const& slots,
                                                           std::size_t children) const {
    auto const keys = view_as<Word const>(from);
    std::vector<std::vector<std::uint64_t>> counts(threads_);
    run_on_threads(threads_, [&](unsigned thread) {
        std::vector<std::uint64_t> own(children); // avoids false sharing between threads
        auto const [begin, end] = block_of(keys.size(), threads_, thread);
        for_each_slot(keys.subspan(begin, end - begin),
                      reader,
                      slots,
                      [&](std::size_t /*index*/, std::size_t child) { ++own[child]; });
        counts[thread] = std::move(own);
    });
    return counts;
}

/// Appends the children of a range, as if they lay in sequence in the other arrays.
void ArrayRanges::append_children(std::size_t index,
                                  std::span<model::ImageInterval const> images,
                                  std::span<std::uint64_t const> counts) {
    std::uint64_t begin = parts_[index].begin;
    for (std::size_t child = 0; child < images.size(); ++child) {
        ranges_.push_back({ranges_.size(),
                           index,
                           model::key_image(images[child].lowest),
                           model::key_image(images[child].highest),
                           counts[child],
                           std::nullopt,
                           std::nullopt,
                           std::nullopt});
        bool const is_in_scratch = !parts_[index].is_in_scratch;
        parts_.push_back({begin, {}, is_in_scratch});
        parts_.back().pieces.push_back(place_of(parts_.size() - 1, is_in_scratch));
        begin += counts[child];
    }
}

template <class Word, class Value, class Reader, class Slots>
void ArrayRanges::move(RangeElements const& from,
                       RangeElements const& to,
                       Reader const& reader,
                       Slots const& slots,
                       std::vector<std::vector<std::uint64_t>> const& places) const {
    using Elements = kernels::ElementArrays<Word, Value>;
    Elements const here{view_as<Word>(from.keys), view_as<Value>(from.values)};
    Elements const room{view_as<Word>(to.keys), view_as<Value>(to.values)};
    run_on_threads(threads_, [&](unsigned thread) {
        auto const [begin, end] = block_of(here.size(), threads_, thread);
        kernels::LineBuffers<Word, Value, lines_of_child> lines(room, places[thread]);
        Elements const block = here.part(begin, end - begin);
        for_each_slot<Word>(block.keys, reader, slots, [&](std::size_t index, std::size_t child) {
            lines.put(child, block.at(index));
        });
        lines.finish();
    });
}

model::RecordLayout layout_of_arrays(SortShape const& shape) {
    model::RecordLayout layout = model::layout_of_keys(shape.key_type, shape.direction);
    layout.record_bytes += static_cast<std::uint32_t>(value_size_bytes(shape.value_type));
    return layout;
}

Expected<void> sort_ranges(ArrayRanges const& ranges, RangeEngine& engine, unsigned threads) {
    std::vector<std::size_t> sorted;
    std::vector<std::size_t> single_valued;
    for (std::size_t const leaf : ranges.leaves()) {
        KeyRangeRecord const& range = ranges.ranges()[leaf];
        (range.lowest == range.highest ? single_valued : sorted).push_back(leaf);
    }
    std::size_t next = 0;
    return run_pipeline(
        std::array{Stage{[&]() -> Expected<void> {
                             for (std::size_t const leaf : single_valued) {
                                 KEYSWAP_RETURN_IF_ERROR(copy_pieces(ranges.task(leaf), threads));
                             }
                             return {};
                         },
                         {}},
                   Stage{[&] {
                             return engine.sort_ranges(
                                 [&] {
                                     return next == sorted.size()
                                                ? std::nullopt
                                                : std::optional(ranges.task(sorted[next++]));
                                 },
                                 [] {});
                         },
                         {}}},
        [] {});
}

} // namespace keyswap::tools
