#include "tools/external/range_files.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>

namespace keyswap::tools {

RangeFiles::RangeFiles(ExternalRun const& run, RangeState const& range) : run_(run) {
    if (range.id != 0) {
        parts_.push_back({run.job.run(range.id), 0, range.count});
        return;
    }
    std::uint64_t end = 0;
    for (ExternalInput const& input : run.job.inputs) {
        end += input.record_count;
        parts_.push_back({input.path, input.offset, end});
    }
}

Expected<RangeFiles::Place> RangeFiles::find(std::uint64_t record) {
    auto const part = std::ranges::upper_bound(parts_, record, {}, &Part::end);
    KEYSWAP_EXPECTS(part != parts_.end());
    if (open_ != &*part) {
        KEYSWAP_TRY(file_, StoredFile::open(run_.storage, part->path, StoredFile::Use::read));
        open_ = &*part;
    }
    std::uint64_t const first = part == parts_.begin() ? 0 : std::prev(part)->end;
    return Place{
        file_, part->offset + (record - first) * run_.job.layout.record_bytes, part->end - record};
}

} // namespace keyswap::tools
