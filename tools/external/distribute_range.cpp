#include "tools/external/distribute_range.hpp"

#include "kernels/cpu/thread_team.hpp"
#include "model/external/external_accesses.hpp"
#include "tools/external/arrays/record_classifier.hpp"
#include "tools/external/files/child_runs.hpp"
#include "tools/external/pipeline/blocking_queue.hpp"
#include "tools/external/pipeline/parallel_parts.hpp"
#include "tools/external/pipeline/save_clock.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace keyswap::tools {

namespace {

constexpr std::size_t areas = 2; ///< double buffering of rounds

/// Consecutive records of one file.
struct Part {
    RangeFiles::Place place;
    std::span<std::byte> records;
    std::vector<std::uint64_t> counts; ///< [children] record counts; offsets after set_places()
};

/// Records distributed at once, in input order.
struct Round {
    std::span<std::byte> area;
    std::vector<Part> parts;
    std::uint64_t size_bytes = 0;
    std::uint64_t count = 0; ///< records over all ranks
    std::uint64_t end = 0;   ///< source records up to the end of this round
    bool is_last = false;

    /// Number of a child's records read by this rank. \pre set_places() was not called yet
    [[nodiscard]] std::uint64_t count_of(std::size_t child) const {
        std::uint64_t sum = 0;
        for (Part const& part : parts) {
            sum += part.counts[child];
        }
        return sum;
    }
};

/// Distributes a range once, in rounds: one round is read while another is distributed and a third
/// is written, each with all threads. If ranks work together, each reads a part of every round and
/// sends its records to the child's owner, which thus receives them in input order.
class Sweep {
  public:
    Sweep(ExternalRun& run, RangeState const& source, RangeFiles& files)
        : run_(run), split_(*run.manifest.split), source_(source), files_(files),
          record_bytes_(run.job.layout.record_bytes),
          by_ranks_(source.id == 0 && !run.team.is_single_process()), child_runs_(run) {
        run_.arena.clear();
        std::size_t const children = split_.children.size();
        auto const rounds = model::partition_rounds(run_.job.layout, run_.memory, children);
        std::uint64_t const area_bytes = rounds.share_bytes * children;
        std::uint64_t const gaps = rounds.gap_bytes;
        in_pages_ = rounds.in_pages;
        tails_ = run_.arena.take_aligned(rounds.tail_bytes);
        round_records_ = rounds.records;
        std::uint64_t block_bytes = round_records_ * record_bytes_; // read by this rank
        if (by_ranks_) {
            // Per share: two areas to read, one to send; per round: two to write, one to receive.
            std::uint64_t const ranks = run_.team.size();
            std::uint64_t const room = 2 * areas * area_bytes - 4 * gaps - tails_.size();
            round_records_ = (room / record_bytes_ - 3) * ranks / (3 * ranks + 3);
            block_bytes = (round_records_ / ranks + 1) * record_bytes_;
            sent_ = run_.arena.take(block_bytes);
            arrived_ = run_.arena.take(round_records_ * record_bytes_);
        }
        for (std::size_t i = 0; i < areas; ++i) {
            read_areas_.push(run_.arena.take_movable(block_bytes + gaps));
            write_areas_.push(run_.arena.take_aligned(round_records_ * record_bytes_ + gaps));
        }
        std::vector<model::CountedInterval> intervals;
        for (RangeState const& child : split_.children) {
            std::uint64_t const size = child.count * record_bytes_;
            ends_.push_back({size, size});
            intervals.push_back({child.images, intervals.size()});
        }
        classifier_ = make_record_classifier(run_.job.layout, intervals);
    }

    Expected<void> carry_out() {
        return run_pipeline(
            std::array{Stage{[this] { return kept(read()); }, [this] { rounds_.close(); }},
                       Stage{[this] { return by_ranks_ ? exchange() : distribute(); },
                             [this] { distributed_.close(); }},
                       Stage{[this] { return kept(write()); }, {}}},
            [this] {
                rounds_.abandon();
                distributed_.abandon();
                synced_.abandon();
                read_areas_.abandon();
                write_areas_.abandon();
            });
    }

  private:
    /// Stores a stage's error for agree(), before the other stages end.
    Expected<void> kept(Expected<void> result) {
        failure_.take(result);
        return result;
    }

    Expected<void> read() {
        for (std::uint64_t at = split_.consumed; at < source_.count;) {
            auto const area = read_areas_.pop();
            if (!area) {
                return {};
            }
            KEYSWAP_TRY(auto round,
                        StageSeconds::add(seconds().read, [&] { return read_round(*area, at); }));
            at = round.end;
            rounds_.push(std::move(round));
        }
        return {};
    }

    Expected<Round> read_round(std::span<std::byte> area, std::uint64_t first) {
        std::uint64_t const all = std::min(round_records_, source_.count - first);
        auto const [begin, end] = by_ranks_
                                      ? kernels::block_of(all, run_.team.size(), run_.team.rank())
                                      : std::pair<std::size_t, std::size_t>(0, all);
        Round round{area, {}, 0, all, first + all, first + all == source_.count};
        std::uint64_t const at_once = part_records(run_.job, (end - begin) * record_bytes_);
        std::size_t used = 0;
        std::size_t spare = area.size() - (end - begin) * record_bytes_;
        for (std::uint64_t at = begin; at < end;) {
            KEYSWAP_TRY(auto place, files_.find(first + at));
            // Same offset within a page as in the file, unless other gaps have used up the space.
            std::size_t gap =
                place.file ? (place.offset - used) % StoredFile::page_bytes : std::size_t{0};
            gap = gap <= spare ? gap : 0;
            spare -= gap;
            std::uint64_t const count = std::min({at_once, end - at, place.record_count});
            auto const records = area.subspan(used + gap, count * record_bytes_);
            if (!place.file) {
                KEYSWAP_RETURN_IF_ERROR(run_.poll());
                KEYSWAP_RETURN_IF_ERROR(files_.read_stream(records));
            }
            used += gap + records.size();
            at += count;
            round.size_bytes += records.size();
            round.parts.push_back(
                {std::move(place), records, std::vector<std::uint64_t>(split_.children.size())});
        }
        KEYSWAP_RETURN_IF_ERROR(for_each_part(
            io_threads_for(run_.job, round.size_bytes),
            round.parts.size(),
            [&](std::size_t part, unsigned /*thread*/) { return read_part(round.parts[part]); }));
        run_.result.read_bytes += round.size_bytes;
        return round;
    }

    Expected<void> read_part(Part& part) const {
        KEYSWAP_RETURN_IF_ERROR(run_.poll());
        if (part.place.file) {
            KEYSWAP_RETURN_IF_ERROR(part.place.file->read(part.place.offset, part.records));
            part.place.file->forget(part.place.offset, part.records.size());
        }
        run_.count_moved(part.records.size());
        return classifier_.count(part.records, part.counts)
                   ? Expected<void>{}
                   : tl::unexpected(damaged_run(run_.job, source_));
    }

    /// True if the sort should be able to continue after this round.
    [[nodiscard]] bool wants_checkpoint(Round const& round, std::uint64_t bytes_since_point) const {
        return round.is_last ||
               (bytes_since_point >= model::checkpoint_bytes(run_.memory) && save_clock_.is_due());
    }

    Expected<void> distribute() {
        std::uint64_t since_point = 0;
        while (auto round = rounds_.pop()) {
            auto const area = write_areas_.pop();
            if (!area) {
                return {};
            }
            since_point += round->size_bytes;
            bool const is_point = wants_checkpoint(*round, since_point);
            since_point = is_point ? 0 : since_point;
            KEYSWAP_TRY(auto distributed, StageSeconds::add(seconds().work, [&] {
                            return distribute_round(*round, *area, is_point);
                        }));
            read_areas_.push(round->area);
            distributed_.push(std::move(distributed));
        }
        return {};
    }

    /// \param is_point true: write all bytes of the runs, not only full pages
    Expected<DistributedRound>
    distribute_round(Round& round, std::span<std::byte> area, bool is_point) {
        DistributedRound result{area, {}, round.size_bytes, std::nullopt};
        if (is_point) {
            result.point = round.end;
        }
        std::uint64_t at = 0;
        for (std::size_t child = 0; child < split_.children.size(); ++child) {
            RunSegment const segment =
                take_segment(area, child, round.count_of(child), is_point, at);
            set_places(round, child, at - segment.records.size());
            result.segments.push_back(segment);
        }
        KEYSWAP_RETURN_IF_ERROR(scatter(round, area));
        keep_tails(result.segments);
        return result;
    }

    /// Replaces a child's counts in each part by byte offsets, beginning at `at`.
    /// \return end of the child's bytes
    std::uint64_t set_places(Round& round, std::size_t child, std::uint64_t at) const {
        for (Part& part : round.parts) {
            std::uint64_t const size = part.counts[child] * record_bytes_;
            part.counts[child] = at;
            at += size;
        }
        return at;
    }

    /// Copies records to the offsets set by set_places().
    Expected<void> scatter(Round& round, std::span<std::byte> area) const {
        return for_each_part(run_.job.threads,
                             round.parts.size(),
                             [&](std::size_t part, unsigned /*thread*/) -> Expected<void> {
                                 classifier_.scatter(round.parts[part].records,
                                                     round.parts[part].counts,
                                                     area.data());
                                 return {};
                             });
    }

    void keep_tails(std::vector<RunSegment> const& segments) {
        for (std::size_t child = 0; child < segments.size(); ++child) {
            RunSegment const& segment = segments[child];
            std::byte const* const end = segment.records.data() + segment.records.size();
            std::byte const* const written = segment.written.data() + segment.written.size();
            std::copy(written, end, tail_of(child).begin());
        }
    }

    /// Exchanges the records of each round between the ranks.
    Expected<void> exchange() {
        std::uint64_t since_point = 0;
        for (std::uint64_t end = split_.consumed; end < source_.count;) {
            auto round = rounds_.pop();
            auto const area = write_areas_.pop();
            KEYSWAP_RETURN_IF_ERROR(run_.team.agree(
                "partitioning", round && area ? Expected<void>{} : failure_.result()));
            end = round->end;
            since_point += round->count * record_bytes_;
            KEYSWAP_TRY(auto distributed, StageSeconds::add(seconds().work, [&] {
                            return exchange_round(
                                *round, *area, wants_checkpoint(*round, since_point));
                        }));
            read_areas_.push(round->area);
            bool const is_point = distributed.point.has_value();
            since_point = is_point ? 0 : since_point;
            distributed_.push(std::move(distributed));
            if (is_point) {
                KEYSWAP_RETURN_IF_ERROR(save_clock_.measure([&] { return save_by_ranks(end); }));
            }
        }
        return {};
    }

    /// \param own_wish this rank's wants_checkpoint(); rank 0's decides
    Expected<DistributedRound>
    exchange_round(Round& round, std::span<std::byte> area, bool own_wish) {
        std::size_t const children = split_.children.size();
        std::vector<std::uint64_t> own(children + 1);
        for (std::size_t child = 0; child < children; ++child) {
            own[child] = round.count_of(child);
        }
        own.back() = own_wish ? 1 : 0;
        auto& ranks = run_.team.ranks();
        auto const counts =
            model::all_gather(ranks, "counts of a round", std::span<std::uint64_t const>(own));
        auto const count_of = [&](std::size_t rank, std::size_t child) {
            return counts[rank * own.size() + child];
        };
        bool const is_point = counts[children] != 0;
        std::uint64_t at = 0;
        std::vector<std::span<std::byte const>> sends(ranks.size());
        for (std::size_t child = 0; child < children; ++child) {
            std::uint64_t const begin = at;
            at = set_places(round, child, begin);
            auto& message = sends[split_.children[child].owner]; // for consecutive children
            message = sent_.subspan(begin - message.size(), message.size() + at - begin);
        }
        KEYSWAP_RETURN_IF_ERROR(scatter(round, sent_));
        std::vector<std::span<std::byte>> receives(ranks.size());
        std::uint64_t arrived = 0;
        for (std::size_t rank = 0; rank < receives.size(); ++rank) {
            std::uint64_t size = 0;
            for (std::size_t child = 0; child < children; ++child) {
                size += is_own(child) ? count_of(rank, child) * record_bytes_ : 0;
            }
            receives[rank] = arrived_.subspan(arrived, size);
            arrived += size;
        }
        ranks.exchange("records of a round", sends, receives);

        DistributedRound result{area, {}, round.size_bytes, std::nullopt};
        if (is_point) {
            result.point = round.end;
        }
        at = 0;
        for (std::size_t child = 0; child < children; ++child) {
            std::uint64_t count = 0;
            for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
                count += count_of(rank, child);
            }
            if (!is_own(child)) {
                result.segments.push_back({{}, {}, 0, count});
                continue;
            }
            result.segments.push_back(take_segment(area, child, count, is_point, at));
            auto place = area.begin() + static_cast<std::ptrdiff_t>(at - count * record_bytes_);
            for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
                auto const some = receives[rank].first(count_of(rank, child) * record_bytes_);
                place = std::ranges::copy(some, place).out;
                receives[rank] = receives[rank].subspan(some.size());
            }
        }
        keep_tails(result.segments);
        return result;
    }

    [[nodiscard]] bool is_own(std::size_t child) const {
        return split_.children[child].owner == run_.team.rank();
    }

    /// Reserves space in the area for a child's next `count` records; advances `at` past them.
    /// Marks for writing the full pages of the run, or all its bytes at a point.
    RunSegment take_segment(std::span<std::byte> area,
                            std::size_t child,
                            std::uint64_t count,
                            bool is_point,
                            std::uint64_t& at) {
        constexpr std::uint64_t page = StoredFile::page_bytes;
        RunEnd& run = ends_[child];
        std::uint64_t const before = run.filled - run.written;
        std::uint64_t const begin =
            in_pages_ ? (at + page - 1) / page * page + run.written % page : at;
        std::ranges::copy(tail_of(child).first(before),
                          area.begin() + static_cast<std::ptrdiff_t>(begin));
        std::uint64_t const records_begin = begin + before;
        at = records_begin + count * record_bytes_;
        std::uint64_t const offset = run.written;
        run.filled += at - records_begin;
        run.written =
            is_point || !in_pages_ ? run.filled : std::max(run.written, run.filled / page * page);
        return {area.subspan(records_begin, at - records_begin),
                area.subspan(begin, run.written - offset),
                offset,
                count};
    }

    /// Bytes of a child's run that await a full page.
    std::span<std::byte> tail_of(std::size_t child) {
        constexpr std::uint64_t page = StoredFile::page_bytes;
        return in_pages_ ? tails_.subspan(child * page, page) : std::span<std::byte>();
    }

    Expected<void> write() {
        while (auto const round = distributed_.pop()) {
            KEYSWAP_RETURN_IF_ERROR(
                StageSeconds::add(seconds().write, [&] { return write_round(*round); }));
            run_.count_moved(round->size_bytes);
            run_.result.written_bytes += round->size_bytes;
            write_areas_.push(round->area);
        }
        return {};
    }

    Expected<void> write_round(DistributedRound const& round) {
        KEYSWAP_RETURN_IF_ERROR(child_runs_.write(round));
        if (!round.point) {
            return {};
        }
        if (by_ranks_) {
            KEYSWAP_RETURN_IF_ERROR(child_runs_.sync());
            synced_.push(*round.point);
            return {};
        }
        return save_clock_.measure([&]() -> Expected<void> {
            KEYSWAP_RETURN_IF_ERROR(child_runs_.sync());
            split_.consumed = *round.point;
            return run_.manifest.save(run_.job, run_.storage);
        });
    }

    /// Saves the manifest: an interrupted sort continues from record `consumed`.
    Expected<void> save_by_ranks(std::uint64_t consumed) {
        bool const is_synced = synced_.pop().has_value();
        KEYSWAP_RETURN_IF_ERROR(
            run_.team.agree("writing runs", is_synced ? Expected<void>{} : failure_.result()));
        run_.collect(split_.children);
        split_.consumed = consumed;
        return run_.save_manifest();
    }

    [[nodiscard]] StageSeconds& seconds() const { return run_.result.partition_stages; }

    /// End of a child's run, in bytes.
    struct RunEnd {
        std::uint64_t filled;  ///< including distributed records
        std::uint64_t written; ///< handed to the writer
    };

    ExternalRun& run_;
    SplitState& split_;
    RangeState const& source_;
    RangeFiles& files_;
    std::uint32_t record_bytes_;
    bool by_ranks_;         ///< all ranks work together
    bool in_pages_ = false; ///< writes whole pages, directly
    std::uint64_t round_records_ = 0;
    RecordClassifier classifier_;
    ChildRuns child_runs_;
    std::vector<RunEnd> ends_;   ///< [children]
    std::span<std::byte> tails_; ///< [children] one page each, if in_pages_
    std::span<std::byte> sent_;  ///< by_ranks_: send buffer of a round, by child
    std::span<std::byte> arrived_;
    BlockingQueue<std::span<std::byte>> read_areas_;
    BlockingQueue<Round> rounds_;
    BlockingQueue<std::span<std::byte>> write_areas_;
    BlockingQueue<DistributedRound> distributed_;
    BlockingQueue<std::uint64_t> synced_; ///< by_ranks_: points whose data is synced
    FirstError failure_;
    SaveClock save_clock_;
};

} // namespace

Expected<void> distribute_range(ExternalRun& run, RangeState const& source, RangeFiles& files) {
    return Sweep(run, source, files).carry_out();
}

} // namespace keyswap::tools
