#include "tools/external/memory_sort.hpp"

#include "tools/build/stopwatch.hpp"
#include "tools/external/arrays/array_ranges.hpp"
#include "tools/external/arrays/pair_arrays.hpp"
#include "tools/external/files/output_files.hpp"
#include "tools/external/files/range_files.hpp"
#include "tools/external/files/range_writer.hpp"
#include "tools/external/pipeline/blocking_queue.hpp"
#include "tools/external/pipeline/parallel_parts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <thread>
#include <vector>

namespace keyswap::tools {

namespace {

constexpr std::uint64_t digest_bytes = std::uint64_t{1} << 16; ///< records joined at once

/// Bytes for the arrays, and for blocks to read and to write.
std::uint64_t needed_bytes(ExternalJob const& job, std::uint64_t block_bytes) {
    return 2 * job.record_count() * job.layout.record_bytes + 6 * block_bytes +
           4 * StoredFile::page_bytes;
}

class MemorySort {
  public:
    explicit MemorySort(ExternalRun& run)
        : run_(run), layout_(run.job.layout),
          count_(run.job.record_count()), arrays_{array(layout_.key_bytes),
                                                  array(value_bytes()),
                                                  array(layout_.key_bytes),
                                                  array(value_bytes())},
          ranges_(layout_, run.memory, run.job.threads, arrays_) {}

    Expected<void> partition() {
        std::array const all{
            arrays_.keys, arrays_.values, arrays_.key_scratch, arrays_.value_scratch};
        { // pins while it reads, which takes about as long
            std::jthread const pinning([&] {
                for (std::span<std::byte> const memory : all) {
                    allocate_pages(memory, run_.job.threads);
                    pins_.push_back(memory.empty() ? nullptr : run_.job.engine->pin(memory));
                }
            });
            KEYSWAP_RETURN_IF_ERROR(read());
        }
        KEYSWAP_RETURN_IF_ERROR(ranges_.partition(*run_.job.engine));
        run_.result.partition_stages.work = ranges_.count_seconds + ranges_.move_seconds;
        digests_.resize(ranges_.ranges().size());
        return {};
    }

    Expected<void> place(OutputFiles& outputs) {
        writer_.emplace(run_, outputs);
        KEYSWAP_RETURN_IF_ERROR(
            run_pipeline(std::array{Stage{[this] { return load(); }, [this] { loaded_.close(); }},
                                    Stage{[this] { return sort(); }, [this] { sorted_.close(); }},
                                    Stage{[this] { return write(); }, {}}},
                         [this] {
                             loaded_.abandon();
                             sorted_.abandon();
                         }));
        record();
        return outputs.sync();
    }

  private:
    [[nodiscard]] std::size_t value_bytes() const {
        return layout_.record_bytes - layout_.key_bytes;
    }
    [[nodiscard]] std::span<std::byte> array(std::size_t element_bytes) {
        return run_.arena.take_aligned(count_ * element_bytes);
    }

    /// Reads all inputs into the arrays.
    Expected<void> read() {
        std::uint64_t const room = 3 * run_.memory.block_bytes;
        unsigned const threads = io_threads_for(run_.job, count_ * layout_.record_bytes);
        std::uint64_t const buffer_bytes =
            std::max<std::uint64_t>(room / threads, layout_.record_bytes + StoredFile::page_bytes);
        std::vector<std::span<std::byte>> buffers;
        for (std::uint64_t used = 0; used + buffer_bytes <= room && buffers.size() < threads;
             used += buffer_bytes) {
            buffers.push_back(run_.arena.take_aligned(buffer_bytes));
        }
        std::uint64_t const at_once =
            (buffer_bytes - StoredFile::page_bytes) / layout_.record_bytes;
        RangeFiles files(run_, run_.manifest.ranges.front());
        return StageSeconds::add(run_.result.partition_stages.read, [&]() -> Expected<void> {
            for (std::uint64_t at = 0; at < count_;) {
                KEYSWAP_TRY(auto const place, files.find(at));
                std::uint64_t const count = std::min(count_ - at, place.record_count);
                auto const read_part = [&](std::size_t part, unsigned thread) -> Expected<void> {
                    KEYSWAP_RETURN_IF_ERROR(run_.poll());
                    std::uint64_t const begin = part * at_once;
                    std::uint64_t const some = std::min(at_once, count - begin);
                    std::uint64_t const offset = place.offset + begin * layout_.record_bytes;
                    auto const records =
                        StoredFile::place_for(offset, buffers[thread], some * layout_.record_bytes);
                    KEYSWAP_RETURN_IF_ERROR(place.file->read(offset, records));
                    split_records(
                        layout_, records, part_of_arrays(layout_, arrays_, at + begin, some));
                    run_.count_moved(records.size());
                    return {};
                };
                KEYSWAP_RETURN_IF_ERROR(for_each_part(static_cast<unsigned>(buffers.size()),
                                                      (count + at_once - 1) / at_once,
                                                      read_part));
                at += count;
                run_.result.read_bytes += count * layout_.record_bytes;
            }
            return {};
        });
    }

    /// Computes the digest of each range before it is sorted.
    Expected<void> load() {
        for (std::size_t const leaf : ranges_.leaves()) {
            KEYSWAP_RETURN_IF_ERROR(run_.poll());
            KEYSWAP_TRY(digests_[leaf], StageSeconds::add(seconds().read, [&] {
                            return digest_of(ranges_.task(leaf));
                        }));
            KeyRangeRecord const& range = ranges_.ranges()[leaf];
            (range.lowest == range.highest ? sorted_ : loaded_).push(leaf);
        }
        return {};
    }

    /// Joins the pairs of elements, from the first one on, into records.
    void join(std::span<RangeElements const> pieces,
              std::uint64_t first,
              std::span<std::byte> records) const {
        for (RangeElements const& piece :
             part_of_pieces(pieces, first, records.size() / layout_.record_bytes)) {
            auto const joined = records.first(piece.count * layout_.record_bytes);
            join_records(layout_, {piece.keys, piece.values, {}, {}}, joined);
            records = records.subspan(joined.size());
        }
    }

    Expected<MultisetDigest> digest_of(RangeTask const& task) const {
        return digest_of_shares(
            run_.job, task.sorted.count, [&](std::size_t begin, std::size_t end) {
                std::vector<std::byte> block(
                    std::max<std::uint64_t>(digest_bytes / layout_.record_bytes, 1) *
                    layout_.record_bytes);
                MultisetDigest digest;
                for (std::uint64_t at = begin; at < end;) {
                    std::uint64_t const some =
                        std::min<std::uint64_t>(end - at, block.size() / layout_.record_bytes);
                    auto const records = std::span(block).first(some * layout_.record_bytes);
                    join(task.pieces, at, records);
                    digest += model::digest_of_records(layout_, records);
                    at += some;
                }
                return digest;
            });
    }

    Expected<void> sort() {
        return StageSeconds::add(seconds().work, [&] {
            return run_.job.engine->sort_ranges(
                [this]() -> std::optional<RangeTask> {
                    auto const leaf = loaded_.pop();
                    if (!leaf) {
                        return std::nullopt;
                    }
                    in_engine_.push(*leaf);
                    return ranges_.task(*leaf);
                },
                [this] { sorted_.push(*in_engine_.pop()); });
        });
    }

    Expected<void> write() {
        while (auto const leaf = sorted_.pop()) {
            KEYSWAP_RETURN_IF_ERROR(
                StageSeconds::add(seconds().write, [&] { return write_range(*leaf); }));
        }
        return {};
    }

    Expected<void> write_range(std::size_t leaf) {
        KeyRangeRecord const& range = ranges_.ranges()[leaf];
        // A single-valued range is not sorted; its elements are still where partition() moved them.
        RangeTask const task = ranges_.task(leaf);
        auto const elements =
            range.lowest == range.highest ? task.pieces : std::vector{task.sorted};
        auto const copy = [&](std::uint64_t first, std::span<std::byte> records) {
            join(elements, first, records);
        };
        KEYSWAP_TRY(bool const holds,
                    writer_->write({*range.place, range.count, model::images_of(range), copy}));
        if (!holds || writer_->finish_range() != *digests_[leaf]) {
            return input_error(run_.job.engine->name(),
                               "did not sort a range of keys",
                               "check the memory of this machine and of its GPUs");
        }
        return {};
    }

    /// Appends the same records as a sort with scratch files does.
    void record() {
        std::vector<KeyRangeRecord> ranges = ranges_.ranges();
        std::vector<char> is_divided(ranges.size(), 0);
        for (RangeDivisionRecord const& division : ranges_.divisions()) {
            is_divided[division.range] = 1;
        }
        for (std::size_t id = ranges.size(); id-- > 0;) {
            KeyRangeRecord& range = ranges[id];
            range.digest =
                is_divided[id] != 0 ? digests_[id] : digests_[id].value_or(MultisetDigest{});
            if (range.parent && *range.parent != 0) {
                auto& sum = digests_[*range.parent];
                sum = sum.value_or(MultisetDigest{});
                *sum += *range.digest;
            }
            if (range.place) {
                range.output = range.digest;
            }
        }
        auto& records = run_.manifest.records;
        for (RangeDivisionRecord const& division : ranges_.divisions()) {
            records.emplace_back(division);
            records.emplace_back(ranges[division.range]);
            for (KeyRangeRecord const& child : ranges) {
                if (child.parent == division.range && child.count == 0) {
                    records.emplace_back(child);
                }
            }
        }
        run_.manifest.ranges.clear();
        for (std::size_t const leaf : ranges_.leaves()) {
            KeyRangeRecord const& range = ranges[leaf];
            run_.manifest.ranges.push_back({range.id,
                                            model::images_of(range),
                                            range.count,
                                            range.digest,
                                            true,
                                            range.parent,
                                            *range.place,
                                            *range.output,
                                            0});
        }
    }

    [[nodiscard]] StageSeconds& seconds() const { return run_.result.sort_stages; }

    ExternalRun& run_;
    model::RecordLayout const& layout_;
    std::uint64_t count_;
    RangeArrays arrays_;
    ArrayRanges ranges_;
    std::vector<std::shared_ptr<void const>> pins_;
    std::vector<std::optional<MultisetDigest>> digests_; ///< [ranges]
    std::optional<RangeWriter> writer_;
    BlockingQueue<std::size_t> loaded_;
    BlockingQueue<std::size_t> in_engine_; ///< passed to the engine, not finished
    BlockingQueue<std::size_t> sorted_;
};

} // namespace

bool can_hold_ranges(ExternalJob const& job) {
    RangeMethod const method = range_method(job.layout);
    auto const memory = model::divide_memory(job.layout, job.memory_bytes, job.gpu_records_max);
    return memory && (method == RangeMethod::keys || method == RangeMethod::pairs) &&
           needed_bytes(job, memory->block_bytes) <= memory->given_bytes - memory->reserve_bytes;
}

std::uint64_t memory_to_hold_ranges(ExternalJob const& job) {
    // The program reserves a sixteenth, at least 32 MiB; a block has at most 8 MiB.
    constexpr std::uint64_t MiB = std::uint64_t{1} << 20;
    std::uint64_t const needed = needed_bytes(job, 8 * MiB);
    return needed + std::max(needed / 15 + 1, 32 * MiB);
}

Expected<void> sort_ranges_in_memory(ExternalRun& run) {
    Stopwatch const partitioning;
    MemorySort sort(run);
    KEYSWAP_RETURN_IF_ERROR(sort.partition());
    run.result.partition_seconds = partitioning.seconds();
    Stopwatch const sorting;
    KEYSWAP_TRY(auto outputs, OutputFiles::open(run));
    KEYSWAP_RETURN_IF_ERROR(sort.place(outputs));
    KEYSWAP_RETURN_IF_ERROR(expect_unchanged(run.job));
    KEYSWAP_RETURN_IF_ERROR(outputs.publish_complete(run.job.record_count()));
    run.result.sort_seconds = sorting.seconds();
    return {};
}

} // namespace keyswap::tools
