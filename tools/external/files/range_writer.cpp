#include "tools/external/files/range_writer.hpp"

#include "model/external/external_accesses.hpp"
#include "tools/external/pipeline/parallel_parts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace keyswap::tools {

namespace {

constexpr std::uint64_t checked_bytes = std::uint64_t{1} << 16; ///< of records checked at once

} // namespace

RangeWriter::RangeWriter(ExternalRun& run, OutputFiles& outputs)
    : run_(run), layout_(run.job.layout), outputs_(outputs) {
    auto const buffers = model::output_buffers(layout_, run_.memory, io_threads(run_.job));
    for (std::uint64_t i = 0; i < buffers.count; ++i) {
        buffers_.push_back(run_.arena.take_aligned(buffers.size_bytes));
    }
}

Expected<bool> RangeWriter::write(SortedRecords const& records) {
    for (std::uint64_t at = 0; at < records.count;) {
        OutputFiles::Place const place = outputs_.find(records.place + at);
        std::uint64_t const count = std::min(records.count - at, place.record_count);
        KEYSWAP_TRY(bool const holds, write_part(records, at, count, place));
        if (!holds) {
            return false;
        }
        at += count;
    }
    run_.result.written_bytes += records.count * layout_.record_bytes;
    return true;
}

MultisetDigest RangeWriter::finish_range() {
    last_.reset();
    return std::exchange(digest_, {});
}

/// Writes records [first, first + count) to one output.
Expected<bool> RangeWriter::write_part(SortedRecords const& records,
                                       std::uint64_t first,
                                       std::uint64_t count,
                                       OutputFiles::Place const& place) {
    KEYSWAP_TRY(auto const file, outputs_.file(place.output));
    file->allocate(place.offset, count * layout_.record_bytes);
    auto const blocks = blocks_of(first, count, place.offset);
    std::vector<Checked> checked(blocks.size());
    auto const write_block = [&](std::size_t i, unsigned thread) -> Expected<void> {
        KEYSWAP_RETURN_IF_ERROR(run_.poll());
        Block const& block = blocks[i];
        auto const bytes = StoredFile::place_for(
            block.offset, buffers_[thread], block.count * layout_.record_bytes);
        checked[i] = fill(records, block.first, bytes);
        run_.count_moved(bytes.size());
        return file->write(block.offset, bytes);
    };
    KEYSWAP_RETURN_IF_ERROR(
        for_each_part(static_cast<unsigned>(buffers_.size()), blocks.size(), write_block));
    for (Checked const& block : checked) {
        if (!block.ascends || block.first < last_.value_or(records.images.lowest) ||
            block.last > records.images.highest) {
            return false;
        }
        last_ = block.last;
        digest_ += block.digest;
    }
    return true;
}

/// Splits records into blocks that fit a buffer. All blocks but the first begin at a page, if
/// record boundaries allow it.
std::vector<RangeWriter::Block>
RangeWriter::blocks_of(std::uint64_t first, std::uint64_t count, std::uint64_t offset) const {
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

/// Copies records [first, ...) and checks them. \param records output, not empty
RangeWriter::Checked RangeWriter::fill(SortedRecords const& source,
                                       std::uint64_t first,
                                       std::span<std::byte> records) const {
    std::uint64_t const size = layout_.record_bytes;
    std::uint64_t const at_once = std::max<std::uint64_t>(checked_bytes / size, 1) * size;
    Checked checked;
    bool is_first = true;
    while (!records.empty()) {
        auto const some = records.first(std::min<std::uint64_t>(at_once, records.size()));
        std::uint64_t const count = some.size() / size;
        source.copy(first, some);
        check_order(some, is_first, checked);
        is_first = false;
        checked.digest += model::digest_of_records(layout_, some);
        first += count;
        records = records.subspan(some.size());
    }
    return checked;
}

/// Updates `checked` by the next records: sets ascends to false if an image is less than its
/// predecessor, the last checked record included unless is_first.
void RangeWriter::check_order(std::span<std::byte const> records,
                              bool is_first,
                              Checked& checked) const {
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

} // namespace keyswap::tools
