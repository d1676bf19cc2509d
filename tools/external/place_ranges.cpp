#include "kernels/cpu/thread_team.hpp"
#include "tools/external/external_run.hpp"
#include "tools/external/hand_over.hpp"
#include "tools/external/output_files.hpp"
#include "tools/external/range_files.hpp"
#include "tools/external/save_clock.hpp"
#include "tools/external/slot_sorter.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace keyswap::tools {

namespace {

constexpr std::uint64_t checked_bytes = std::uint64_t{1} << 16; ///< of records checked at once

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

/// A thread reads ranges, this one has them sorted, another one checks them, a fourth writes them.
class Placing {
  public:
    Placing(ExternalRun& run, OutputFiles& outputs)
        : run_(run), layout_(run.job.layout), outputs_(outputs), sorter_(emptied(run)) {
        for (int i = 0; i < 3; ++i) {
            free_slots_.push(sorter_.take_slot());
        }
        for (int i = 0; i < 3; ++i) {
            free_blocks_.push(run_.arena.take_movable(run_.memory.block_bytes));
        }
    }

    Expected<void> carry_out() {
        return carry_out_stages(
            std::array{Stage{[this] { return read(); }, [this] { loaded_.close(); }},
                       Stage{[this] { return sort(); }, [this] { sorted_.close(); }},
                       Stage{[this] { return check(); }, [this] { checked_.close(); }},
                       Stage{[this] { return write(); }, {}}},
            [this] {
                loaded_.abandon();
                sorted_.abandon();
                checked_.abandon();
                free_slots_.abandon();
                free_blocks_.abandon();
            });
    }

  private:
    /// Nobody uses the arena of a run that has done with a step.
    static ExternalRun& emptied(ExternalRun& run) {
        run.arena.clear();
        return run;
    }

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
        while (auto const piece = loaded_.pop()) {
            RangeState& range = run_.manifest.ranges[piece->range];
            auto const records = piece->slot.records.first(piece->count * layout_.record_bytes);
            if (!range.digest) { // the input itself, which is one piece
                range.digest = model::digest_of_records(layout_, records);
            }
            if (!range.images.single_valued()) {
                KEYSWAP_RETURN_IF_ERROR(sorter_.sort(piece->slot, piece->count));
            }
            sorted_.push(*piece);
        }
        return {};
    }

    Expected<void> check() {
        std::optional<model::uint128> last; ///< image of the range's records so far
        MultisetDigest digest;
        while (auto const piece = sorted_.pop()) {
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
            checked_.push({*block, records, place, piece.place + at, piece.range, is_last, digest});
        }
        return true;
    }

    /// What a thread found in its share of a block.
    struct Checked {
        model::uint128 first = 0; ///< image
        model::uint128 last = 0;
        bool ascends = true;
        MultisetDigest digest;
    };

    /// Copies records from a place in a piece on, and checks them, each thread a share.
    Expected<void> fill(Piece const& piece,
                        std::uint64_t first,
                        std::span<std::byte> records,
                        std::optional<model::uint128>& last,
                        MultisetDigest& digest) const {
        std::uint64_t const size = layout_.record_bytes;
        std::uint64_t const count = records.size() / size;
        unsigned const threads = threads_for(run_.job, records.size());
        std::vector<Checked> checked(threads);
        auto const work = [&](unsigned thread) {
            auto const [begin, end] = kernels::block_of(count, threads, thread);
            checked[thread] = fill_share(
                piece, first + begin, records.subspan(begin * size, (end - begin) * size));
        };
        KEYSWAP_RETURN_IF_ERROR(on_threads(threads, work));
        model::ImageInterval const images = run_.manifest.ranges[piece.range].images;
        for (Checked const& share : checked) {
            if (!share.ascends || share.first < last.value_or(images.lowest) ||
                share.last > images.highest) {
                return tl::unexpected(wrong_range(piece.range));
            }
            last = share.last;
            digest += share.digest;
        }
        return {};
    }

    /// \param records not empty
    Checked
    fill_share(Piece const& piece, std::uint64_t first, std::span<std::byte> records) const {
        std::uint64_t const size = layout_.record_bytes;
        model::ImageInterval const images = run_.manifest.ranges[piece.range].images;
        bool const in_order = piece.slot.order.empty() || images.single_valued();
        std::uint64_t const at_once = std::max<std::uint64_t>(checked_bytes / size, 1) * size;
        Checked checked;
        bool is_first = true;
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
            check_order(some, is_first, checked);
            is_first = false;
            checked.digest += model::digest_of_records(layout_, some);
            first += count;
            records = records.subspan(some.size());
        }
        return checked;
    }

    Expected<void> write() {
        while (auto const block = checked_.pop()) {
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

    /// Whether records ascend, also from those before, which `checked` is about unless they are the
    /// first.
    void check_order(std::span<std::byte const> records, bool is_first, Checked& checked) const {
        model::with_image_reader(layout_, [&](auto const& reader) {
            using Word = std::decay_t<decltype(reader(nullptr))>;
            auto previous = static_cast<Word>(checked.last);
            if (is_first) {
                previous = reader(records.data());
                checked.first = previous;
            }
            bool ascends = checked.ascends;
            for (std::size_t at = 0; at < records.size(); at += layout_.record_bytes) {
                Word const image = reader(records.data() + at);
                ascends = ascends && previous <= image;
                previous = image;
            }
            checked.last = previous;
            checked.ascends = ascends;
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
    SlotSorter sorter_;
    HandOver<Slot> free_slots_;
    HandOver<Piece> loaded_;
    HandOver<std::span<std::byte>> free_blocks_;
    HandOver<Piece> sorted_;
    HandOver<OutputBlock> checked_;
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
