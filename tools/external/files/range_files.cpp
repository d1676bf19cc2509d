#include "tools/external/files/range_files.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>

namespace keyswap::tools {

namespace {

constexpr std::uint64_t skipped_bytes = std::uint64_t{1} << 18; ///< per read

} // namespace

RangeFiles::RangeFiles(ExternalRun const& run, RangeState const& range) : run_(run) {
    if (range.id != 0) {
        parts_.push_back({run.job.run(range.id), 0, range.count, nullptr});
        return;
    }
    std::uint64_t end = 0;
    for (ExternalInput const& input : run.job.inputs) {
        end += input.record_count;
        parts_.push_back(
            {input.identity.path, input.offset, end, input.open_stream ? &input : nullptr});
    }
}

Expected<void> RangeFiles::open(Part const& part) {
    open_ = nullptr;
    file_.reset();
    stream_.reset();
    if (part.input != nullptr) {
        KEYSWAP_TRY(stream_, part.input->open_stream());
        stream_next_ = 0;
    } else {
        KEYSWAP_TRY(file_, StoredFile::open(run_.storage, part.path, StoredFile::Use::read));
    }
    open_ = &part;
    return {};
}

Expected<void> RangeFiles::skip_to(std::uint64_t record) {
    if (stream_next_ > record) {
        KEYSWAP_RETURN_IF_ERROR(open(*open_));
    }
    std::uint64_t const size = run_.job.layout.record_bytes;
    std::vector<std::byte> skipped(std::max(skipped_bytes / size, std::uint64_t{1}) * size);
    while (stream_next_ < record) {
        KEYSWAP_RETURN_IF_ERROR(run_.poll());
        std::uint64_t const count = std::min(record - stream_next_, skipped.size() / size);
        KEYSWAP_RETURN_IF_ERROR(read_stream(std::span(skipped).first(count * size)));
    }
    return {};
}

Expected<void> RangeFiles::read_stream(std::span<std::byte> records) {
    std::uint64_t const wanted = records.size() / run_.job.layout.record_bytes;
    KEYSWAP_TRY(std::uint64_t const count, stream_->read(records));
    stream_next_ += count;
    if (count < wanted) {
        return input_error(open_->path.string(),
                           "has fewer records than it had before: " + grouped_count(stream_next_),
                           "it was changed; do not change files of a sort that is "
                           "running or interrupted");
    }
    return {};
}

Expected<RangeFiles::Place> RangeFiles::find(std::uint64_t record) {
    auto const part = std::ranges::upper_bound(parts_, record, {}, &Part::end);
    KEYSWAP_EXPECTS(part != parts_.end());
    if (open_ != &*part) {
        KEYSWAP_RETURN_IF_ERROR(open(*part));
    }
    std::uint64_t const first = part == parts_.begin() ? 0 : std::prev(part)->end;
    std::uint64_t const left = part->end - record;
    if (stream_) {
        KEYSWAP_RETURN_IF_ERROR(skip_to(record - first));
        return Place{nullptr, 0, left};
    }
    return Place{file_, part->offset + (record - first) * run_.job.layout.record_bytes, left};
}

} // namespace keyswap::tools
