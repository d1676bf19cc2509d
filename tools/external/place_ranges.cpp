#include "kernels/cpu/thread_team.hpp"
#include "tools/external/external_run.hpp"
#include "tools/external/hand_over.hpp"
#include "tools/external/output_files.hpp"
#include "tools/external/parallel_parts.hpp"
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
#include <utility>
#include <vector>

namespace keyswap::tools {

namespace {

constexpr std::uint64_t checked_bytes = std::uint64_t{1} << 16;   ///< of records checked at once
constexpr std::uint64_t block_bytes_min = std::uint64_t{1} << 18; ///< less makes too many writes

/// Records of a range, all of them or, of a single-valued one that is larger, some.
struct Piece {
    Slot slot;
    std::size_t range = 0;
    std::uint64_t place = 0; ///< index in the output of its first record
    std::uint64_t count = 0;
    bool is_last = true; ///< of its range
};

/// Sorted records of a piece, at once checked and written.
struct Block {
    std::uint64_t first = 0; ///< of the piece
    std::uint64_t count = 0;
    std::uint64_t offset = 0; ///< in the output
};

/// What is found in the records of a block.
struct Checked {
    model::uint128 first = 0; ///< image
    model::uint128 last = 0;
    bool ascends = true;
    MultisetDigest digest;
};

/// A range is read while another is sorted and a third one is checked and written, each by all
/// threads.
class Placing {
  public:
    Placing(ExternalRun& run, OutputFiles& outputs)
        : run_(run), layout_(run.job.layout), outputs_(outputs), sorter_(emptied(run)) {
        for (int i = 0; i < 3; ++i) {
            free_slots_.push(sorter_.take_slot());
        }
        constexpr std::uint64_t page = StoredFile::page_bytes;
        std::uint64_t const room = 3 * run_.memory.block_bytes;
        std::uint64_t const least = std::max(block_bytes_min, layout_.record_bytes + page);
        auto const buffers =
            std::clamp<std::uint64_t>(room / least, 1, io_threads_for(run_.job, ~std::uint64_t{0}));
        std::uint64_t const size = std::min(room / buffers, run_.memory.block_bytes + page);
        for (std::uint64_t i = 0; i < buffers; ++i) {
            buffers_.push_back(run_.arena.take_aligned(size / page * page));
        }
    }

    Expected<void> carry_out() {
        return carry_out_stages(
            std::array{Stage{[this] { return read(); }, [this] { loaded_.close(); }},
                       Stage{[this] { return sort(); }, [this] { sorted_.close(); }},
                       Stage{[this] { return write(); }, {}}},
            [this] {
                loaded_.abandon();
                sorted_.abandon();
                free_slots_.abandon();
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
            if (!range.is_placed && range.owner == run_.team.rank()) {
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
            KEYSWAP_RETURN_IF_ERROR(StageSeconds::add(
                seconds().read, [&] { return read_slot(files, at, count, *slot); }));
            loaded_.push({*slot, index, place + at, count, at + count == range_count});
            at += count;
        }
        return true;
    }

    Expected<void>
    read_slot(RangeFiles& files, std::uint64_t first, std::uint64_t count, Slot const& slot) {
        std::uint64_t const size = layout_.record_bytes;
        std::uint64_t const at_once = part_records(run_.job, count * size);
        for (std::uint64_t at = 0; at < count;) {
            KEYSWAP_TRY(auto const place, files.find(first + at));
            std::uint64_t const of_place = std::min(count - at, place.record_count);
            auto const records = slot.records.subspan(at * size, of_place * size);
            auto const read_part = [&](std::size_t part, unsigned /*thread*/) -> Expected<void> {
                KEYSWAP_RETURN_IF_ERROR(run_.poll());
                std::uint64_t const begin = part * at_once * size;
                auto const some = records.subspan(
                    begin, std::min<std::uint64_t>(at_once * size, records.size() - begin));
                KEYSWAP_RETURN_IF_ERROR(place.file ? place.file->read(place.offset + begin, some)
                                                   : files.read_stream(some));
                run_.count_moved(some.size());
                return {};
            };
            KEYSWAP_RETURN_IF_ERROR(
                for_each_part(place.file ? io_threads_for(run_.job, records.size()) : 1,
                              (of_place + at_once - 1) / at_once,
                              read_part));
            at += of_place;
            run_.result.read_bytes += records.size();
        }
        return {};
    }

    Expected<void> sort() {
        while (auto const piece = loaded_.pop()) {
            KEYSWAP_RETURN_IF_ERROR(
                StageSeconds::add(seconds().work, [&] { return sort_piece(*piece); }));
            sorted_.push(*piece);
        }
        return {};
    }

    Expected<void> sort_piece(Piece const& piece) {
        RangeState& range = run_.manifest.ranges[piece.range];
        if (!range.digest) { // the input itself, which is one piece
            KEYSWAP_TRY(range.digest, digest_of(piece));
        }
        return range.images.single_valued() ? Expected<void>{}
                                            : sorter_.sort(piece.slot, piece.count);
    }

    Expected<MultisetDigest> digest_of(Piece const& piece) const {
        std::uint64_t const size = layout_.record_bytes;
        unsigned const threads = threads_for(run_.job, piece.count * size);
        std::vector<MultisetDigest> digests(threads);
        KEYSWAP_RETURN_IF_ERROR(for_each_part(
            threads, threads, [&](std::size_t share, unsigned /*thread*/) -> Expected<void> {
                auto const [begin, end] =
                    kernels::block_of(piece.count, threads, static_cast<unsigned>(share));
                digests[share] = model::digest_of_records(
                    layout_, piece.slot.records.subspan(begin * size, (end - begin) * size));
                return {};
            }));
        MultisetDigest sum;
        for (MultisetDigest const& digest : digests) {
            sum += digest;
        }
        return sum;
    }

    Expected<void> write() {
        std::optional<model::uint128> last; ///< image of the range's records so far
        MultisetDigest digest;
        while (auto const piece = sorted_.pop()) {
            KEYSWAP_RETURN_IF_ERROR(StageSeconds::add(
                seconds().write, [&] { return write_piece(*piece, last, digest); }));
            free_slots_.push(piece->slot);
        }
        return save_finished();
    }

    Expected<void>
    write_piece(Piece const& piece, std::optional<model::uint128>& last, MultisetDigest& digest) {
        for (std::uint64_t at = 0; at < piece.count;) {
            OutputFiles::Place const place = outputs_.find(piece.place + at);
            std::uint64_t const count = std::min(piece.count - at, place.record_count);
            KEYSWAP_RETURN_IF_ERROR(write_records(piece, at, count, place, last, digest));
            at += count;
        }
        run_.result.written_bytes += piece.count * layout_.record_bytes;
        if (!piece.is_last) {
            return {};
        }
        last.reset();
        return finish_range(piece.range, piece.place + piece.count, std::exchange(digest, {}));
    }

    /// Writes records of a piece to one output.
    Expected<void> write_records(Piece const& piece,
                                 std::uint64_t first,
                                 std::uint64_t count,
                                 OutputFiles::Place const& place,
                                 std::optional<model::uint128>& last,
                                 MultisetDigest& digest) {
        KEYSWAP_TRY(auto const file, outputs_.file(place.output));
        file->allocate(place.offset, count * layout_.record_bytes);
        auto const blocks = blocks_of(first, count, place.offset);
        std::vector<Checked> checked(blocks.size());
        auto const write_block = [&](std::size_t i, unsigned thread) -> Expected<void> {
            KEYSWAP_RETURN_IF_ERROR(run_.poll());
            Block const& block = blocks[i];
            auto const records = StoredFile::place_for(
                block.offset, buffers_[thread], block.count * layout_.record_bytes);
            checked[i] = fill(piece, block.first, records);
            run_.count_moved(records.size());
            return file->write(block.offset, records);
        };
        KEYSWAP_RETURN_IF_ERROR(
            for_each_part(static_cast<unsigned>(buffers_.size()), blocks.size(), write_block));
        model::ImageInterval const images = run_.manifest.ranges[piece.range].images;
        for (Checked const& block : checked) {
            if (!block.ascends || block.first < last.value_or(images.lowest) ||
                block.last > images.highest) {
                return tl::unexpected(wrong_range(piece.range));
            }
            last = block.last;
            digest += block.digest;
        }
        return {};
    }

    /// Blocks of as many records as a buffer holds. Those behind the first begin at a page, if
    /// records can.
    [[nodiscard]] std::vector<Block>
    blocks_of(std::uint64_t first, std::uint64_t count, std::uint64_t offset) const {
        constexpr std::uint64_t page = StoredFile::page_bytes;
        std::uint64_t const size = layout_.record_bytes;
        std::uint64_t const fitting = (buffers_.front().size() - page) / size;
        std::uint64_t const whole = records_in_pages(size);
        std::uint64_t const at_once = fitting < whole ? fitting : fitting / whole * whole;
        std::uint64_t next = at_once;
        for (std::uint64_t less = 0; less < std::min(whole, at_once); ++less) {
            if ((offset + (at_once - less) * size) % page == 0) {
                next = at_once - less;
                break;
            }
        }
        std::vector<Block> blocks;
        for (std::uint64_t at = 0; at < count; next = at_once) {
            std::uint64_t const records = std::min(next, count - at);
            blocks.push_back({first + at, records, offset + at * size});
            at += records;
        }
        return blocks;
    }

    /// Copies records from a place in a piece on, and checks them. \param records not empty
    [[nodiscard]] Checked
    fill(Piece const& piece, std::uint64_t first, std::span<std::byte> records) const {
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
    /// \param end index in all outputs behind its last record \param written what is there
    Expected<void>
    finish_range(std::size_t index, std::uint64_t end, MultisetDigest const& written) {
        RangeState& range = run_.manifest.ranges[index];
        if (written != *range.digest) {
            return tl::unexpected(wrong_range(index));
        }
        range.place = end - range.count;
        finished_end_ = end;
        range.written = written;
        finished_.push_back(index);
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
        // A rank's ranges are placed in their order. Whether the input was changed is known by now,
        // unless it is read only here.
        bool const reads_input = run_.manifest.ranges.front().id == 0;
        return reads_input || !run_.team.is_alone() ? Expected<void>{}
                                                    : outputs_.name_complete(finished_end_);
    }

    [[nodiscard]] StageSeconds& seconds() const { return run_.result.sort_stages; }

    ExternalRun& run_;
    model::RecordLayout const& layout_;
    OutputFiles& outputs_;
    SlotSorter sorter_;
    HandOver<Slot> free_slots_;
    HandOver<Piece> loaded_;
    HandOver<Piece> sorted_;
    std::vector<std::span<std::byte>> buffers_; ///< of blocks: one a thread that writes
    std::vector<std::size_t> finished_;         ///< ranges in the output that are not saved
    std::uint64_t finished_bytes_ = 0;
    std::uint64_t finished_end_ = 0; ///< records of all ranges that are finished
    SaveClock save_clock_;
};

} // namespace

Expected<void> place_ranges(ExternalRun& run, OutputFiles& outputs) {
    return Placing(run, outputs).carry_out();
}

} // namespace keyswap::tools
