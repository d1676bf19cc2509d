#pragma once

/// \file The records of a trace, grouped by type.

#include "model/verify/verify_limits.hpp"
#include "traces/format/trace_reader.hpp"
#include "traces/records/records.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace keyswap::model::verify {

/// One recorded run. The records of each type are in trace order.
struct RecordedRun {
    std::string name; ///< file name, for messages
    std::string file; ///< identity of the trace file ("device:inode"); empty if not from a file
    RunHeader header;
    std::vector<BucketFunctionRecord> functions;
    std::vector<HistogramRecord> histograms;
    std::vector<PartitionRecord> partitions;
    std::vector<PlacementRecord> placements;
    std::vector<OwnershipRecord> ownership;
    std::vector<CopyRecord> copies;
    std::vector<SortRangeRecord> sort_ranges;
    std::vector<MergeRecord> merges;
    std::vector<DigestRecord> digests;
    std::vector<RelaxationRecord> relaxations;
    std::vector<ExternalSortRecord> external_sorts;
    std::vector<RangeDivisionRecord> range_divisions;
    std::vector<KeyRangeRecord> key_ranges;
    std::vector<PhaseTimeRecord> phase_times;
    std::vector<VerdictRecord> verdicts;

    [[nodiscard]] std::uint32_t gpu_count() const {
        return static_cast<std::uint32_t>(header.gpus.size());
    }
};

/// Collects a run's records. \pre the first one is the header
class RecordedRunSink final : public TraceSink {
  public:
    explicit RecordedRunSink(std::string name) { run_.name = std::move(name); }
    void write(TraceRecord const& record) override;
    void declare(SwapLayout layout) override { run_.header.layout = layout; }
    [[nodiscard]] RecordedRun const& run() const { return run_; }
    [[nodiscard]] RecordedRun& run() { return run_; }

  private:
    RecordedRun run_;
};

[[nodiscard]] RecordedRun recorded_run_of(std::string name, std::span<TraceRecord const> records);

/// Reads a trace file. \return an error if its records would exceed the memory limit
[[nodiscard]] Expected<RecordedRun> read_recorded_run(std::filesystem::path const& path,
                                                      VerifyLimits const& limits = {});

/// As above, from an open trace.
/// \param name file name, for messages
[[nodiscard]] Expected<RecordedRun>
read_recorded_run(TraceReader& reader, std::string name, VerifyLimits const& limits);

/// All records of the run, in the order that traces/FORMAT.md recommends.
[[nodiscard]] std::vector<TraceRecord> records_of(RecordedRun const& run);

} // namespace keyswap::model::verify
