#include "tools/external/files/child_runs.hpp"

#include "model/external/record_summary.hpp"
#include "tools/external/pipeline/parallel_parts.hpp"
#include "traces/errors/try.hpp"

#include <utility>

namespace keyswap::tools {

Expected<void> ChildRuns::write(DistributedRound const& round) {
    return for_each_part(io_threads_for(run_.job, round.size_bytes),
                         round.segments.size(),
                         [&](std::size_t child, unsigned /*thread*/) {
                             return write_segment(child, round.segments[child]);
                         });
}

Expected<void> ChildRuns::sync() {
    return for_each_part(io_threads(run_.job),
                         dirty_.size(),
                         [&](std::size_t child, unsigned /*thread*/) -> Expected<void> {
                             if (std::exchange(dirty_[child], 0) == 0) {
                                 return {};
                             }
                             KEYSWAP_TRY(auto const file,
                                         StoredFile::open(run_.storage,
                                                          run_.job.run(children_[child].id),
                                                          StoredFile::Use::update));
                             return file->sync();
                         });
}

Expected<void> ChildRuns::write_segment(std::size_t index, RunSegment const& segment) {
    RangeState& child = children_[index];
    *child.digest += model::digest_of_records(run_.job.layout, segment.records);
    child.count += segment.count;
    if (segment.written.empty()) {
        return {};
    }
    dirty_[index] = 1;
    KEYSWAP_TRY(auto const file,
                StoredFile::open(run_.storage, run_.job.run(child.id), StoredFile::Use::update));
    return file->write(segment.offset, segment.written);
}

} // namespace keyswap::tools
