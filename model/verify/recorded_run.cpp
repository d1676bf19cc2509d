#include "model/verify/recorded_run.hpp"

#include "traces/errors/try.hpp"

#include <string>
#include <sys/stat.h>
#include <variant>

namespace keyswap::model::verify {

namespace {

/// Memory of a record. Zero counts take almost no text, so memory may be a thousand times the
/// length of the line.
std::uint64_t memory_of(TraceRecord const& record) {
    std::uint64_t bytes = sizeof(TraceRecord);
    if (auto const* const histogram = std::get_if<HistogramRecord>(&record)) {
        bytes += histogram->counts.size() * sizeof(std::uint64_t);
    } else if (auto const* const function = std::get_if<BucketFunctionRecord>(&record)) {
        if (auto const* const rule = std::get_if<SplitterBuckets>(&function->function.rule)) {
            bytes += rule->splitters.size() * sizeof(KeyImage) + rule->equality.size();
        }
    } else if (auto const* const partition = std::get_if<PartitionRecord>(&record)) {
        bytes += partition->method.size() + partition->starts.size() * sizeof(std::uint64_t);
    } else if (auto const* const relaxation = std::get_if<RelaxationRecord>(&record)) {
        bytes += relaxation->counts.size() * sizeof(std::uint64_t);
    } else if (auto const* const merge = std::get_if<MergeRecord>(&record)) {
        bytes += merge->runs.size() * sizeof(std::uint64_t);
    } else if (auto const* const time = std::get_if<PhaseTimeRecord>(&record)) {
        bytes += time->phase.text().size();
    } else if (auto const* const verdict = std::get_if<VerdictRecord>(&record)) {
        bytes += verdict->property.size() + verdict->detail.size();
    }
    return bytes;
}

} // namespace

void RecordedRunSink::write(TraceRecord const& record) {
    struct Sorter {
        RecordedRun& run;
        void operator()(RunHeader const& r) const { run.header = r; }
        void operator()(BucketFunctionRecord const& r) const { run.functions.push_back(r); }
        void operator()(HistogramRecord const& r) const { run.histograms.push_back(r); }
        void operator()(PartitionRecord const& r) const { run.partitions.push_back(r); }
        void operator()(PlacementRecord const& r) const { run.placements.push_back(r); }
        void operator()(OwnershipRecord const& r) const { run.ownership.push_back(r); }
        void operator()(CopyRecord const& r) const { run.copies.push_back(r); }
        void operator()(SortRangeRecord const& r) const { run.sort_ranges.push_back(r); }
        void operator()(MergeRecord const& r) const { run.merges.push_back(r); }
        void operator()(DigestRecord const& r) const { run.digests.push_back(r); }
        void operator()(RelaxationRecord const& r) const { run.relaxations.push_back(r); }
        void operator()(ExternalSortRecord const& r) const { run.external_sorts.push_back(r); }
        void operator()(RangeDivisionRecord const& r) const { run.range_divisions.push_back(r); }
        void operator()(KeyRangeRecord const& r) const { run.key_ranges.push_back(r); }
        void operator()(PhaseTimeRecord const& r) const { run.phase_times.push_back(r); }
        void operator()(VerdictRecord const& r) const { run.verdicts.push_back(r); }
    };
    std::visit(Sorter{run_}, record);
}

RecordedRun recorded_run_of(std::string name, std::span<TraceRecord const> records) {
    RecordedRunSink sink(std::move(name));
    for (TraceRecord const& record : records) {
        sink.write(record);
    }
    return std::move(sink.run());
}

Expected<RecordedRun> read_recorded_run(std::filesystem::path const& path,
                                        VerifyLimits const& limits) {
    KEYSWAP_TRY(auto reader, TraceReader::open(path));
    return read_recorded_run(reader, path.string(), limits).map([&path](RecordedRun run) {
        struct stat status {};
        if (::stat(path.c_str(), &status) == 0) {
            run.file = std::to_string(status.st_dev) + ':' + std::to_string(status.st_ino);
        }
        return run;
    });
}

Expected<RecordedRun>
read_recorded_run(TraceReader& reader, std::string name, VerifyLimits const& limits) {
    RecordedRunSink sink(name);
    std::uint64_t rest_bytes = limits.memory_bytes;
    while (true) {
        KEYSWAP_TRY(auto const record, reader.next());
        if (!record) {
            return std::move(sink.run());
        }
        std::uint64_t const bytes = memory_of(*record);
        if (bytes > rest_bytes) {
            return tl::unexpected(InputError{std::move(name),
                                             "its records take more than the " +
                                                 std::to_string(limits.memory_bytes) +
                                                 " bytes of --memory-limit",
                                             "raise --memory-limit if you trust the trace"});
        }
        rest_bytes -= bytes;
        sink.write(*record);
    }
}

std::vector<TraceRecord> records_of(RecordedRun const& run) {
    std::vector<TraceRecord> records{run.header};
    auto const append = [&records](auto const& of_kind) {
        records.insert(records.end(), of_kind.begin(), of_kind.end());
    };
    append(run.functions);
    append(run.histograms);
    append(run.partitions);
    append(run.placements);
    append(run.ownership);
    append(run.copies);
    append(run.sort_ranges);
    append(run.merges);
    append(run.digests);
    append(run.relaxations);
    append(run.external_sorts);
    append(run.range_divisions);
    append(run.key_ranges);
    append(run.phase_times);
    append(run.verdicts);
    return records;
}

} // namespace keyswap::model::verify
