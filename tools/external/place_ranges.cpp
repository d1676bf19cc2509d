#include "kernels/cpu/cpu_sort.hpp"
#include "kernels/device/key_image.hpp"
#include "tools/external/external_run.hpp"
#include "tools/external/hand_over.hpp"
#include "tools/external/output_files.hpp"
#include "tools/external/range_files.hpp"
#include "tools/external/save_clock.hpp"
#include "tools/external/word_sort.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

namespace keyswap::tools {

namespace {

constexpr std::uint64_t cached_bytes = std::uint64_t{1} << 16; ///< of records checked at once

/// Room for a range: its records, and their order where they are not keys alone.
struct Slot {
    std::span<std::byte> records;
    std::span<std::uint32_t> order; ///< [records], or empty
};

/// Records of a range, all of them or, of a single-valued one that is larger, some.
struct Piece {
    Slot slot;
    std::size_t range = 0;
    std::uint64_t place = 0; ///< index in the output of its first record
    std::uint64_t count = 0;
    bool is_last = true; ///< of its range
};

/// Sorted records for the output, checked.
struct OutputBlock {
    std::span<std::byte> buffer;
    std::span<std::byte const> records;
    OutputFiles::Place place;
    std::uint64_t end = 0; ///< index in all outputs behind its last record
    std::size_t range = 0;
    bool is_last = false;  ///< of its range
    MultisetDigest digest; ///< of its range's records up to here
};

template <class T>
std::span<T> view(std::span<std::byte> bytes) {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// A thread reads ranges, this one sorts and checks them, a third one writes them.
class Placing {
  public:
    Placing(ExternalRun& run, OutputFiles& outputs)
        : run_(run), layout_(run.job.layout), outputs_(outputs) {
        run_.arena.clear();
        std::uint64_t const records = std::min(run_.memory.records_max, run_.job.record_count());
        bool const plain = layout_.is_plain_key();
        for (int i = 0; i < 3; ++i) {
            Slot slot{run_.arena.take_aligned(records * layout_.record_bytes), {}};
            if (!plain) {
                slot.order =
                    view<std::uint32_t>(run_.arena.take_aligned(records * sizeof(std::uint32_t)));
            }
            free_slots_.push(slot);
        }
        std::uint64_t const word = plain                    ? layout_.record_bytes
                                   : layout_.key_bytes <= 8 ? sizeof(std::uint64_t)
                                                            : sizeof(model::uint128);
        scratch_ = run_.arena.take_aligned(records * word);
        if (!plain) {
            keys_ = run_.arena.take_aligned(records * word);
            order_scratch_ = run_.arena.take_aligned(records * sizeof(std::uint32_t));
        }
        for (int i = 0; i < 3; ++i) {
            free_blocks_.push(run_.arena.take_movable(run_.memory.block_bytes));
        }
    }

    Expected<void> carry_out() {
        return carry_out_stages([this] { return read(); },
                                loaded_,
                                [this] { return sort(); },
                                sorted_,
                                [this] { return write(); },
                                free_slots_,
                                free_blocks_);
    }

  private:
    Expected<void> read() {
        std::uint64_t place = 0;
        for (std::size_t i = 0; i < run_.manifest.ranges.size(); ++i) {
            // The writer changes is_placed of ranges that were read; this one has not been.
            RangeState const& range = run_.manifest.ranges[i];
            std::uint64_t const count = range.count;
            if (!range.is_placed) {
                KEYSWAP_TRY(bool const goes_on, read_range(i, place));
                if (!goes_on) {
                    return {};
                }
            }
            place += count;
        }
        return {};
    }

    /// \return false if all ends
    Expected<bool> read_range(std::size_t index, std::uint64_t place) {
        RangeState const& range = run_.manifest.ranges[index];
        std::uint64_t const range_count = range.count;
        RangeFiles files(run_, range);
        for (std::uint64_t at = 0; at < range_count;) {
            auto const slot = free_slots_.pop();
            if (!slot) {
                return false;
            }
            std::uint64_t const count = std::min(run_.memory.records_max, range_count - at);
            KEYSWAP_RETURN_IF_ERROR(read_slot(files, at, count, *slot));
            loaded_.push({*slot, index, place + at, count, at + count == range_count});
            at += count;
        }
        return true;
    }

    Expected<void>
    read_slot(RangeFiles& files, std::uint64_t first, std::uint64_t count, Slot const& slot) {
        std::uint64_t const size = layout_.record_bytes;
        for (std::uint64_t at = 0; at < count;) {
            KEYSWAP_RETURN_IF_ERROR(run_.poll());
            KEYSWAP_TRY(auto const place, files.find(first + at));
            std::uint64_t const records =
                std::min({run_.memory.block_bytes / size, count - at, place.record_count});
            KEYSWAP_RETURN_IF_ERROR(
                files.read(place, slot.records.subspan(at * size, records * size)));
            at += records;
            run_.count_moved(records * size);
            run_.result.read_bytes += records * size;
        }
        return {};
    }

    Expected<void> sort() {
        std::optional<model::uint128> last; ///< image of the range's records so far
        MultisetDigest digest;
        while (auto const piece = loaded_.pop()) {
            RangeState& range = run_.manifest.ranges[piece->range];
            auto const records = piece->slot.records.first(piece->count * layout_.record_bytes);
            if (!range.digest) { // the input itself, which is one piece
                range.digest = model::digest_of_records(layout_, records);
            }
            if (!range.images.single_valued()) {
                KEYSWAP_RETURN_IF_ERROR(layout_.is_plain_key() ? sort_keys(records)
                                                               : sort_records(*piece, records));
            }
            KEYSWAP_TRY(bool const goes_on, pass_on(*piece, last, digest));
            if (!goes_on) {
                return {};
            }
            free_slots_.push(piece->slot);
            if (piece->is_last) {
                last.reset();
                digest = {};
            }
        }
        return {};
    }

    /// Hands a sorted piece to the writer, block by block, checked. \return false if all ends
    Expected<bool>
    pass_on(Piece const& piece, std::optional<model::uint128>& last, MultisetDigest& digest) {
        std::uint64_t const size = layout_.record_bytes;
        std::uint64_t const at_once = run_.memory.block_bytes / size;
        for (std::uint64_t at = 0; at < piece.count;) {
            auto const block = free_blocks_.pop();
            if (!block) {
                return false;
            }
            OutputFiles::Place const place = outputs_.find(piece.place + at);
            std::uint64_t const count = std::min({at_once, piece.count - at, place.record_count});
            auto const records = StoredFile::place_for(place.offset, *block, count * size);
            KEYSWAP_RETURN_IF_ERROR(fill(piece, at, records, last, digest));
            at += count;
            bool const is_last = piece.is_last && at == piece.count;
            sorted_.push({*block, records, place, piece.place + at, piece.range, is_last, digest});
        }
        return true;
    }

    /// Copies records from a place in a piece on, and checks them while they are in a cache.
    Expected<void> fill(Piece const& piece,
                        std::uint64_t first,
                        std::span<std::byte> records,
                        std::optional<model::uint128>& last,
                        MultisetDigest& digest) const {
        std::uint64_t const size = layout_.record_bytes;
        model::ImageInterval const images = run_.manifest.ranges[piece.range].images;
        bool const in_order = layout_.is_plain_key() || images.single_valued();
        std::uint64_t const at_once = std::max<std::uint64_t>(cached_bytes / size, 1) * size;
        while (!records.empty()) {
            auto const some = records.first(std::min<std::uint64_t>(at_once, records.size()));
            std::uint64_t const count = some.size() / size;
            if (in_order) {
                std::memcpy(some.data(), piece.slot.records.data() + first * size, some.size());
            } else {
                for (std::uint64_t i = 0; i < count; ++i) {
                    std::memcpy(some.data() + i * size,
                                piece.slot.records.data() + piece.slot.order[first + i] * size,
                                size);
                }
            }
            if (!check_order(some, images, last)) {
                return tl::unexpected(wrong_range(piece.range));
            }
            digest += model::digest_of_records(layout_, some);
            first += count;
            records = records.subspan(some.size());
        }
        return {};
    }

    Expected<void> sort_keys(std::span<std::byte> records) {
        switch (layout_.record_bytes) {
        case sizeof(std::uint32_t):
            return sort_keys_of<std::uint32_t>(records);
        case sizeof(std::uint64_t):
            return sort_keys_of<std::uint64_t>(records);
        default:
            return sort_keys_of<model::uint128>(records);
        }
    }

    template <class Word>
    Expected<void> sort_keys_of(std::span<std::byte> records) {
        auto const keys = view<Word>(records);
        auto const code = kernels::image_code(layout_.key_type, layout_.direction);
        if (!code.is_identity()) {
            std::ranges::transform(
                keys, keys.begin(), [&](Word key) { return kernels::encode_image(key, code); });
        }
        KEYSWAP_RETURN_IF_ERROR(sort_images(keys));
        if (!code.is_identity()) {
            std::ranges::transform(
                keys, keys.begin(), [&](Word image) { return kernels::decode_image(image, code); });
        }
        return {};
    }

    template <class Word>
    Expected<void> sort_images(std::span<Word> images) {
        try {
            sort_words(images, view<Word>(scratch_).first(images.size()), run_.job.threads);
        } catch (std::system_error const& error) {
            return tl::unexpected(InputError{std::to_string(run_.job.threads) + " threads",
                                             std::string("cannot be started: ") + error.what(),
                                             "give fewer --threads"});
        }
        return {};
    }

    /// Finds the order of records, in which equal keys are as they came.
    Expected<void> sort_records(Piece const& piece, std::span<std::byte const> records) {
        auto const order = piece.slot.order.first(piece.count);
        return model::with_image_reader(layout_, [&](auto const& reader) -> Expected<void> {
            using Word = std::decay_t<decltype(reader(nullptr))>;
            auto const images = view<Word>(keys_).first(piece.count);
            constexpr int index_bits = 32;
            if (layout_.image_bits() + index_bits <= 8 * static_cast<int>(sizeof(Word))) {
                for (std::size_t i = 0; i < images.size(); ++i) {
                    Word const image = reader(records.data() + i * layout_.record_bytes);
                    images[i] = static_cast<Word>(image << index_bits) | i;
                }
                KEYSWAP_RETURN_IF_ERROR(sort_images(images));
                std::ranges::transform(images, order.begin(), [](Word word) {
                    return static_cast<std::uint32_t>(word);
                });
                return {};
            }
            std::iota(order.begin(), order.end(), 0U);
            for (std::size_t i = 0; i < images.size(); ++i) {
                images[i] = reader(records.data() + i * layout_.record_bytes);
            }
            kernels::CpuSortOptions options;
            options.key_type = sizeof(Word) == 8 ? KeyType::u64 : KeyType::u128;
            options.value_type = ValueType::bits32;
            options.threads = run_.job.threads;
            options.stability = Stability::stable;
            return kernels::sort_on_cpu(options,
                                        {std::as_writable_bytes(images),
                                         std::as_writable_bytes(order),
                                         scratch_.first(images.size_bytes()),
                                         order_scratch_.first(order.size_bytes())},
                                        nullptr);
        });
    }

    Expected<void> write() {
        while (auto const block = sorted_.pop()) {
            KEYSWAP_RETURN_IF_ERROR(run_.poll());
            KEYSWAP_RETURN_IF_ERROR(outputs_.write(block->place, block->records));
            run_.count_moved(block->records.size());
            run_.result.written_bytes += block->records.size();
            free_blocks_.push(block->buffer);
            if (block->is_last) {
                KEYSWAP_RETURN_IF_ERROR(finish_range(*block));
            }
        }
        return save_finished();
    }

    /// Whether records ascend within their range, whose neighbours have other images.
    bool check_order(std::span<std::byte const> records,
                     model::ImageInterval images,
                     std::optional<model::uint128>& last) const {
        return model::with_image_reader(layout_, [&](auto const& reader) {
            model::uint128 previous = last.value_or(images.lowest);
            bool ascends = true;
            for (std::size_t at = 0; at < records.size(); at += layout_.record_bytes) {
                model::uint128 const image = reader(records.data() + at);
                ascends = ascends && previous <= image;
                previous = image;
            }
            last = previous;
            return ascends && previous <= images.highest;
        });
    }

    [[nodiscard]] InputError wrong_range(std::size_t index) const {
        RangeState const& range = run_.manifest.ranges[index];
        return {
            run_.job.run(range.id).string(),
            "does not hold the " + grouped_count(range.count) + " records that were written there",
            "it was changed or damaged; remove " + run_.job.scratch.string() + " and start anew"};
    }

    /// The whole range is in the output, and will be on the disk by the next save.
    Expected<void> finish_range(OutputBlock const& last) {
        RangeState& range = run_.manifest.ranges[last.range];
        if (last.digest != *range.digest) {
            return tl::unexpected(wrong_range(last.range));
        }
        range.place = last.end - range.count;
        finished_end_ = last.end;
        range.written = last.digest;
        finished_.push_back(last.range);
        finished_bytes_ += range.count * layout_.record_bytes;
        bool const is_due =
            finished_bytes_ >= unsaved_bytes_max(run_.memory) || save_clock_.is_due();
        return is_due ? save_clock_.measure([this] { return save_finished(); }) : Expected<void>{};
    }

    /// Finished ranges are on the disk from here on; their runs are needed no more.
    Expected<void> save_finished() {
        KEYSWAP_RETURN_IF_ERROR(outputs_.sync());
        for (std::size_t const index : finished_) {
            run_.manifest.ranges[index].is_placed = true;
        }
        KEYSWAP_RETURN_IF_ERROR(run_.manifest.save(run_.job, run_.storage));
        for (std::size_t const index : finished_) {
            RangeState const& range = run_.manifest.ranges[index];
            if (range.id != 0) {
                run_.storage.remove(run_.job.run(range.id));
            }
        }
        finished_.clear();
        finished_bytes_ = 0;
        // Ranges are placed in their order. Whether the input was changed is known by now, unless
        // it is read only here.
        bool const reads_input = run_.manifest.ranges.front().id == 0;
        return reads_input ? Expected<void>{} : outputs_.name_complete(finished_end_);
    }

    ExternalRun& run_;
    model::RecordLayout const& layout_;
    OutputFiles& outputs_;
    std::span<std::byte> scratch_;
    std::span<std::byte> keys_;
    std::span<std::byte> order_scratch_;
    HandOver<Slot> free_slots_;
    HandOver<Piece> loaded_;
    HandOver<std::span<std::byte>> free_blocks_;
    HandOver<OutputBlock> sorted_;
    std::vector<std::size_t> finished_; ///< ranges in the output that are not saved
    std::uint64_t finished_bytes_ = 0;
    std::uint64_t finished_end_ = 0; ///< records of all ranges that are finished
    SaveClock save_clock_;
};

} // namespace

Expected<void> place_ranges(ExternalRun& run, OutputFiles& outputs) {
    return Placing(run, outputs).carry_out();
}

} // namespace keyswap::tools
