#include "proptests/recorded_run.hpp"

#include "traces/trace_reader.hpp"

#include <variant>

namespace keyswap::conformance {

void RecordedRunSink::write(TraceRecord const& record) {
    struct Sorter {
        RecordedRun& run;
        void operator()(RunHeader const& r) const { run.header = r; }
        void operator()(HistogramRecord const& r) const { run.histograms.push_back(r); }
        void operator()(PlacementRecord const& r) const { run.placements.push_back(r); }
        void operator()(OwnershipRecord const& r) const { run.ownership.push_back(r); }
        void operator()(CopyRecord const& r) const { run.copies.push_back(r); }
        void operator()(SortRangeRecord const& r) const { run.sort_ranges.push_back(r); }
        void operator()(DigestRecord const& r) const { run.digests.push_back(r); }
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

Expected<RecordedRun> read_recorded_run(std::filesystem::path const& path) {
    auto reader = TraceReader::open(path);
    if (!reader) {
        return tl::unexpected(reader.error());
    }
    RecordedRunSink sink(path.string());
    while (true) {
        auto const record = reader->next();
        if (!record) {
            return tl::unexpected(record.error());
        }
        if (!*record) {
            return std::move(sink.run());
        }
        sink.write(**record);
    }
}

std::vector<TraceRecord> records_of(RecordedRun const& run) {
    std::vector<TraceRecord> records{run.header};
    auto const append = [&records](auto const& of_kind) {
        records.insert(records.end(), of_kind.begin(), of_kind.end());
    };
    append(run.histograms);
    append(run.placements);
    append(run.ownership);
    append(run.copies);
    append(run.sort_ranges);
    append(run.digests);
    append(run.phase_times);
    append(run.verdicts);
    return records;
}

} // namespace keyswap::conformance
