#include "tools/external/arrays/slot_sorter.hpp"
#include "tools/external/external_run.hpp"
#include "tools/external/files/output_files.hpp"
#include "tools/external/files/range_files.hpp"
#include "tools/external/files/range_writer.hpp"
#include "tools/external/pipeline/blocking_queue.hpp"
#include "tools/external/pipeline/parallel_parts.hpp"
#include "tools/external/pipeline/save_clock.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <optional>
#include <vector>

namespace keyswap::tools {

namespace {

/// Records of a range: all, or a part of a single-valued range that exceeds a slot.
struct Piece {
    Slot slot;
    std::size_t range = 0;
    std::uint64_t place = 0; ///< output index of the first record
    std::uint64_t count = 0;
    bool is_last = true; ///< last piece of its range
};

/// Pipeline: reads a range while another is sorted and a third is checked and written, each with
/// all threads.
class Placing {
  public:
    Placing(ExternalRun& run, OutputFiles& outputs)
        : run_(run), layout_(run.job.layout), outputs_(outputs), sorter_(emptied(run)) {
        for (int i = 0; i < 3; ++i) {
            free_slots_.push(sorter_.take_slot());
        }
        writer_.emplace(run_, outputs_);
    }

    Expected<void> carry_out() {
        return run_pipeline(
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
    /// Clears the arena, whose buffers the previous step no longer uses.
    static ExternalRun& emptied(ExternalRun& run) {
        run.arena.clear();
        return run;
    }

    Expected<void> read() {
        std::uint64_t place = 0;
        for (std::size_t i = 0; i < run_.manifest.ranges.size(); ++i) {
            // The writer sets is_placed only of ranges already read, so not of this one.
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

    /// \return false if the sort is ending
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
        if (!range.digest) { // undivided input: a single piece
            KEYSWAP_TRY(range.digest, digest_of(piece));
        }
        return range.images.single_valued() ? Expected<void>{}
                                            : sorter_.sort(piece.slot, piece.count);
    }

    Expected<MultisetDigest> digest_of(Piece const& piece) const {
        std::uint64_t const size = layout_.record_bytes;
        return digest_of_shares(run_.job, piece.count, [&](std::size_t begin, std::size_t end) {
            return model::digest_of_records(
                layout_, piece.slot.records.subspan(begin * size, (end - begin) * size));
        });
    }

    Expected<void> write() {
        while (auto const piece = sorted_.pop()) {
            KEYSWAP_RETURN_IF_ERROR(
                StageSeconds::add(seconds().write, [&] { return write_piece(*piece); }));
            free_slots_.push(piece->slot);
        }
        return save_finished();
    }

    Expected<void> write_piece(Piece const& piece) {
        model::ImageInterval const images = run_.manifest.ranges[piece.range].images;
        bool const in_order = piece.slot.order.empty() || images.single_valued();
        std::uint64_t const size = layout_.record_bytes;
        auto const copy = [&](std::uint64_t first, std::span<std::byte> records) {
            if (in_order) {
                std::memcpy(
                    records.data(), piece.slot.records.data() + first * size, records.size());
                return;
            }
            for (std::uint64_t i = 0; i < records.size() / size; ++i) {
                std::memcpy(records.data() + i * size,
                            piece.slot.records.data() + piece.slot.order[first + i] * size,
                            size);
            }
        };
        KEYSWAP_TRY(bool const holds, writer_->write({piece.place, piece.count, images, copy}));
        if (!holds) {
            return tl::unexpected(wrong_range(piece.range));
        }
        return piece.is_last
                   ? finish_range(piece.range, piece.place + piece.count, writer_->finish_range())
                   : Expected<void>{};
    }

    [[nodiscard]] InputError wrong_range(std::size_t index) const {
        RangeState const& range = run_.manifest.ranges[index];
        return damaged_file(run_.job,
                            run_.job.run(range.id),
                            "does not hold the " + grouped_count(range.count) +
                                " records that were written there");
    }

    /// Marks a range as finished: complete in the output, on disk after the next save.
    /// \param end output index after its last record \param written digest of the written records
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

    /// Syncs finished ranges, saves the manifest and removes their runs.
    Expected<void> save_finished() {
        KEYSWAP_RETURN_IF_ERROR(outputs_.sync());
        for (std::size_t const index : finished_) {
            run_.manifest.ranges[index].is_placed = true;
        }
        KEYSWAP_RETURN_IF_ERROR(run_.manifest.save(run_.job, run_.storage));
        std::vector<std::filesystem::path> runs;
        for (std::size_t const index : finished_) {
            RangeState const& range = run_.manifest.ranges[index];
            if (range.id != 0) {
                runs.push_back(run_.job.run(range.id));
            }
        }
        remove_files(run_.job, run_.storage, runs);
        finished_.clear();
        finished_bytes_ = 0;
        // With one rank, ranges are placed in output order. Changes of the input have been detected
        // by now, unless this step reads it.
        bool const reads_input = run_.manifest.ranges.front().id == 0;
        return reads_input || !run_.team.is_single_process()
                   ? Expected<void>{}
                   : outputs_.publish_complete(finished_end_);
    }

    [[nodiscard]] StageSeconds& seconds() const { return run_.result.sort_stages; }

    ExternalRun& run_;
    model::RecordLayout const& layout_;
    OutputFiles& outputs_;
    SlotSorter sorter_;
    BlockingQueue<Slot> free_slots_;
    BlockingQueue<Piece> loaded_;
    BlockingQueue<Piece> sorted_;
    std::optional<RangeWriter> writer_; ///< its buffers follow the slots in the arena
    std::vector<std::size_t> finished_; ///< complete in the output, not in the manifest
    std::uint64_t finished_bytes_ = 0;
    std::uint64_t finished_end_ = 0; ///< records of all finished ranges
    SaveClock save_clock_;
};

} // namespace

Expected<void> place_ranges(ExternalRun& run, OutputFiles& outputs) {
    return Placing(run, outputs).carry_out();
}

} // namespace keyswap::tools
