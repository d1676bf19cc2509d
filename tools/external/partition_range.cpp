#include "model/external/external_records.hpp"
#include "model/keys/interval_slots.hpp"
#include "tools/external/external_run.hpp"
#include "tools/external/hand_over.hpp"
#include "tools/external/range_files.hpp"
#include "tools/external/save_clock.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

namespace keyswap::tools {

namespace {

constexpr std::uint64_t pages_min = 16; ///< of a buffer that is written directly

/// Records that were read, in the input's order.
struct Block {
    std::span<std::byte> buffer;
    std::span<std::byte const> records;
};

/// A child's buffer that is being filled.
struct Filling {
    std::span<std::byte> buffer;
    std::byte* begin = nullptr; ///< as far behind a page's start as in the run
    std::byte* next = nullptr;
    std::byte* end = nullptr; ///< behind the last place for a record
};

/// Records of a child, or the point up to which all records are in the writer's hands.
struct Portion {
    std::size_t child = 0;
    std::span<std::byte> buffer;
    std::span<std::byte const> records;
    MultisetDigest digest;
    std::optional<std::uint64_t> consumed; ///< of a point
};

/// One sweep over a range: a thread reads, this one distributes, a third one writes.
class Sweep {
  public:
    Sweep(ExternalRun& run, RangeState const& source, RangeFiles& files)
        : run_(run), split_(*run.manifest.split), source_(source), files_(files),
          record_bytes_(run.job.layout.record_bytes) {
        run_.arena.clear();
        for (int i = 0; i < 3; ++i) {
            free_blocks_.push(run_.arena.take_movable(run_.memory.block_bytes));
        }
        std::size_t const children = split_.children.size();
        std::uint64_t const buffer_bytes = run_.memory.buffer_bytes(run_.job.layout, children);
        std::uint64_t const pages = buffer_bytes / StoredFile::page_bytes;
        in_pages_ = pages >= pages_min && record_bytes_ <= (pages - 1) * StoredFile::page_bytes;
        for (std::size_t i = 0; i < 2 * children; ++i) {
            free_buffers_.push(in_pages_ ? run_.arena.take_aligned(pages * StoredFile::page_bytes)
                                         : run_.arena.take(buffer_bytes));
        }
        for (RangeState const& child : split_.children) {
            filled_bytes_.push_back(child.count * record_bytes_);
        }
    }

    Expected<void> carry_out() {
        return carry_out_stages(
            std::array{Stage{[this] { return read(); }, [this] { filled_.close(); }},
                       Stage{[this] { return distribute(); }, [this] { portions_.close(); }},
                       Stage{[this] { return write(); }, {}}},
            [this] {
                filled_.abandon();
                portions_.abandon();
                free_blocks_.abandon();
                free_buffers_.abandon();
            });
    }

  private:
    Expected<void> read() {
        std::uint64_t const block_records = run_.memory.block_bytes / record_bytes_;
        for (std::uint64_t at = split_.consumed; at < source_.count;) {
            KEYSWAP_RETURN_IF_ERROR(run_.poll());
            auto const buffer = free_blocks_.pop();
            if (!buffer) {
                return {};
            }
            KEYSWAP_TRY(auto const place, files_.find(at));
            std::uint64_t const count = std::min(block_records, place.record_count);
            std::uint64_t const size = count * record_bytes_;
            auto const records = StoredFile::place_for(place.offset, *buffer, size);
            KEYSWAP_RETURN_IF_ERROR(files_.read(place, records));
            at += count;
            files_.forget(place, size);
            run_.count_moved(size);
            run_.result.read_bytes += size;
            filled_.push({*buffer, records});
        }
        return {};
    }

    Expected<void> distribute() {
        std::vector<model::CountedInterval> intervals;
        for (std::size_t i = 0; i < split_.children.size(); ++i) {
            intervals.push_back({split_.children[i].images, i});
            open_.emplace_back();
            if (!open_buffer(i)) {
                return {}; // reading failed
            }
        }
        return model::with_image_reader(run_.job.layout, [&](auto const& reader) {
            using Word = std::decay_t<decltype(reader(nullptr))>;
            model::IntervalSlots<Word> const slots(intervals, run_.job.layout.image_bits());
            switch (record_bytes_) {
            case 4:
                return distribute_by(reader, slots, std::integral_constant<std::size_t, 4>{});
            case 8:
                return distribute_by(reader, slots, std::integral_constant<std::size_t, 8>{});
            default:
                return distribute_by(reader, slots, std::size_t{record_bytes_});
            }
        });
    }

    /// \param size of a record: a constant, so that the compiler knows it, or a number
    template <class Reader, class Slots, class Size>
    Expected<void> distribute_by(Reader const& reader, Slots const& slots, Size size) {
        std::uint64_t consumed = split_.consumed;
        std::uint64_t since_point = 0;
        while (auto const block = filled_.pop()) {
            std::byte const* const end = block->records.data() + block->records.size();
            for (std::byte const* record = block->records.data(); record != end; record += size) {
                std::size_t const child = slots.slot_of(reader(record));
                if (child == Slots::no_slot) {
                    return tl::unexpected(damaged_run());
                }
                Filling& open = open_[child];
                std::memcpy(open.next, record, size);
                open.next += size;
                if (open.next == open.end && !pass_on(child)) {
                    return {};
                }
            }
            consumed += block->records.size() / size;
            since_point += block->records.size();
            free_blocks_.push(block->buffer);
            if (since_point >= model::checkpoint_bytes(run_.memory) && save_clock_.is_due()) {
                since_point = 0;
                pass_on_all(consumed);
            }
        }
        pass_on_all(consumed);
        return {};
    }

    [[nodiscard]] InputError damaged_run() const {
        return {run_.job.run(source_.id).string(),
                "has records that do not belong there",
                "it was changed or damaged; remove " + run_.job.scratch.string() +
                    " and start anew"};
    }

    /// Hands a child's buffer to the writer and takes an empty one. \return false if all ends
    bool pass_on(std::size_t child) {
        Filling const& open = open_[child];
        std::span<std::byte const> const records(open.begin, open.next);
        filled_bytes_[child] += records.size();
        portions_.push({child,
                        open.buffer,
                        records,
                        model::digest_of_records(run_.job.layout, records),
                        std::nullopt});
        return open_buffer(child);
    }

    /// Takes an empty buffer for a child. \return false if all ends
    bool open_buffer(std::size_t child) {
        auto const buffer = free_buffers_.pop();
        if (!buffer) {
            return false;
        }
        std::size_t const skipped = in_pages_ ? filled_bytes_[child] % StoredFile::page_bytes : 0;
        std::size_t const room = (buffer->size() - skipped) / record_bytes_ * record_bytes_;
        std::byte* const begin = buffer->data() + skipped;
        open_[child] = {*buffer, begin, begin, begin + room};
        return true;
    }

    void pass_on_all(std::uint64_t consumed) {
        for (std::size_t child = 0; child < open_.size(); ++child) {
            if (open_[child].next != open_[child].begin && !pass_on(child)) {
                return;
            }
        }
        portions_.push({0, {}, {}, {}, consumed});
    }

    Expected<void> write() {
        std::vector<bool> dirty(split_.children.size(), false);
        while (auto const portion = portions_.pop()) {
            if (portion->consumed) {
                KEYSWAP_RETURN_IF_ERROR(
                    save_clock_.measure([&] { return save(dirty, *portion->consumed); }));
                continue;
            }
            RangeState& child = split_.children[portion->child];
            KEYSWAP_TRY(
                auto const file,
                StoredFile::open(run_.storage, run_.job.run(child.id), StoredFile::Use::update));
            KEYSWAP_RETURN_IF_ERROR(file->write(child.count * record_bytes_, portion->records));
            *child.digest += portion->digest;
            child.count += portion->records.size() / record_bytes_;
            dirty[portion->child] = true;
            run_.count_moved(portion->records.size());
            run_.result.written_bytes += portion->records.size();
            free_buffers_.push(portion->buffer);
        }
        return {};
    }

    /// From here on an interrupted sort goes on from this record.
    Expected<void> save(std::vector<bool>& dirty, std::uint64_t consumed) {
        for (std::size_t i = 0; i < dirty.size(); ++i) {
            if (dirty[i]) {
                KEYSWAP_TRY(auto const file,
                            StoredFile::open(run_.storage,
                                             run_.job.run(split_.children[i].id),
                                             StoredFile::Use::update));
                KEYSWAP_RETURN_IF_ERROR(file->sync());
                dirty[i] = false;
            }
        }
        split_.consumed = consumed;
        return run_.manifest.save(run_.job, run_.storage);
    }

    ExternalRun& run_;
    SplitState& split_;
    RangeState const& source_;
    RangeFiles& files_;
    std::uint32_t record_bytes_;
    bool in_pages_ = false;                   ///< buffers are, for direct writes
    std::vector<Filling> open_;               ///< [children]
    std::vector<std::uint64_t> filled_bytes_; ///< [children] of its run, with what is not written
    HandOver<std::span<std::byte>> free_blocks_;
    HandOver<Block> filled_;
    HandOver<std::span<std::byte>> free_buffers_;
    HandOver<Portion> portions_;
    SaveClock save_clock_;
};

/// Images at the sample's positions.
Expected<std::vector<model::uint128>>
draw(ExternalRun& run, model::RangeTarget const& target, RangeFiles& files) {
    auto const positions = model::sample_positions(target, model::external_sample_seed);
    std::vector<std::byte> record(run.job.layout.record_bytes);
    std::vector<model::uint128> images;
    images.reserve(positions.size());
    return model::with_image_reader(
        run.job.layout, [&](auto const& reader) -> Expected<std::vector<model::uint128>> {
            for (std::uint64_t const position : positions) {
                KEYSWAP_RETURN_IF_ERROR(run.poll());
                KEYSWAP_TRY(auto const place, files.find(position));
                KEYSWAP_RETURN_IF_ERROR(files.read(place, record));
                images.push_back(reader(record.data()));
            }
            run.result.read_bytes += positions.size() * record.size();
            return images;
        });
}

/// Children of a range, without records yet.
Expected<SplitState> begin_split(ExternalRun& run, std::size_t index, RangeFiles& files) {
    RangeState const& source = run.manifest.ranges[index];
    model::RangeTarget const target = model::range_target(run.memory, source.count);
    bool const streamed = source.id == 0 && run.job.is_streamed();
    KEYSWAP_TRY(auto const sample,
                streamed ? Expected<std::vector<model::uint128>>(std::move(run.stream_sample))
                         : draw(run, target, files));
    bool const belongs = std::ranges::all_of(
        sample, [&](model::uint128 image) { return source.images.contains(image); });
    if (!belongs) {
        return tl::unexpected(InputError{run.job.run(source.id).string(),
                                         "has records that do not belong there",
                                         "remove " + run.job.scratch.string() + " and start anew"});
    }
    SplitState split{index, 0, {}};
    auto const ranges = model::choose_ranges(sample, target, source.images);
    for (model::ImageInterval const images : ranges) {
        split.children.push_back(
            {run.manifest.next_id++, images, 0, MultisetDigest{}, false, source.id, 0, {}});
    }
    run.manifest.records.emplace_back(model::division_record(
        run.job.layout, run.memory, source.record(), run.sample_rule(), sample, ranges.size()));
    return split;
}

/// Runs of a split that goes on: what is behind the last point goes.
Expected<void> cut_runs(ExternalRun& run) {
    for (RangeState const& child : run.manifest.split->children) {
        auto const path = run.job.run(child.id);
        std::uint64_t const size = child.count * run.job.layout.record_bytes;
        KEYSWAP_TRY(auto const file, StoredFile::open(run.storage, path, StoredFile::Use::update));
        std::error_code error;
        if (std::filesystem::file_size(path, error) < size) {
            return tl::unexpected(
                InputError{path.string(),
                           "is shorter than its manifest records",
                           "remove " + run.job.scratch.string() + " and start anew"});
        }
        KEYSWAP_RETURN_IF_ERROR(file->resize(size));
    }
    return {};
}

} // namespace

Expected<void> partition_range(ExternalRun& run, std::size_t index) {
    Manifest& manifest = run.manifest;
    RangeState const source = manifest.ranges[index];
    {
        RangeFiles files(run, source);
        if (!manifest.split) {
            KEYSWAP_TRY(auto split, begin_split(run, index, files));
            manifest.split = std::move(split);
            KEYSWAP_RETURN_IF_ERROR(manifest.save(run.job, run.storage));
        }
        KEYSWAP_RETURN_IF_ERROR(cut_runs(run));
        KEYSWAP_RETURN_IF_ERROR(Sweep(run, source, files).carry_out());
    }
    std::vector<RangeState> children = std::move(manifest.split->children);
    manifest.records.emplace_back(source.record());
    for (RangeState const& child : children) {
        if (child.count == 0) {
            manifest.records.emplace_back(child.record());
        }
    }
    std::erase_if(children, [&](RangeState const& child) {
        return child.count == 0 && run.storage.remove(run.job.run(child.id)) == 0;
    });
    manifest.split.reset();
    auto const at =
        manifest.ranges.erase(manifest.ranges.begin() + static_cast<std::ptrdiff_t>(index));
    manifest.ranges.insert(at, children.begin(), children.end());
    manifest.oversized_records += source.id == 0 ? 0 : source.count;
    KEYSWAP_RETURN_IF_ERROR(manifest.save(run.job, run.storage));
    if (source.id != 0) {
        run.storage.remove(run.job.run(source.id));
    }
    return {};
}

} // namespace keyswap::tools
