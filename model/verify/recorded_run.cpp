#include "model/verify/recorded_run.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/try.hpp"

#include <string>
#include <sys/stat.h>
#include <type_traits>
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

/// Calls `use` with each list of records, in the order that traces/FORMAT.md recommends.
void for_each_list(auto& run, auto const& use) {
    use(run.functions);
    use(run.histograms);
    use(run.partitions);
    use(run.placements);
    use(run.ownership);
    use(run.copies);
    use(run.sort_ranges);
    use(run.merges);
    use(run.digests);
    use(run.relaxations);
    use(run.external_sorts);
    use(run.range_divisions);
    use(run.key_ranges);
    use(run.phase_times);
    use(run.verdicts);
}

} // namespace

void RecordedRunSink::write(TraceRecord const& record) {
    std::visit(
        [this]<class Record>(Record const& one) {
            if constexpr (std::is_same_v<Record, RunHeader>) {
                run_.header = one;
            } else {
                bool has_list = false;
                for_each_list(run_, [&](auto& list) {
                    if constexpr (std::is_same_v<decltype(list), std::vector<Record>&>) {
                        list.push_back(one);
                        has_list = true;
                    }
                });
                KEYSWAP_ENSURES(has_list); // of each kind of record
            }
        },
        record);
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
            return input_error(std::move(name),
                               "its records take more than the " +
                                   std::to_string(limits.memory_bytes) + " bytes of " +
                                   setting("memory-limit"),
                               "raise " + setting("memory-limit") + " if you trust the trace");
        }
        rest_bytes -= bytes;
        sink.write(*record);
    }
}

std::vector<TraceRecord> records_of(RecordedRun const& run) {
    std::vector<TraceRecord> records{run.header};
    for_each_list(run, [&records](auto const& list) {
        records.insert(records.end(), list.begin(), list.end());
    });
    return records;
}

} // namespace keyswap::model::verify
