#pragma once

/// \file The records of a trace by their kinds.

#include "model/verify/verify_limits.hpp"
#include "traces/format/trace_reader.hpp"
#include "traces/records/records.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace keyswap::model::verify {

/// One recorded run. Records of each kind keep the order of the trace.
struct RecordedRun {
    std::string name; ///< of the file, for messages
    std::string file; ///< which file it was, whatever its name; empty if none
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

/// Takes a run's records; the first one has to be its header.
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

/// Reads a trace's file. A trace whose records take more memory than the limits allow is refused.
[[nodiscard]] Expected<RecordedRun> read_recorded_run(std::filesystem::path const& path,
                                                      VerifyLimits const& limits = {});

/// The same from a trace that is open already.
/// \param name of the file, for messages
[[nodiscard]] Expected<RecordedRun>
read_recorded_run(TraceReader& reader, std::string name, VerifyLimits const& limits);

/// The records again, in the order that traces/FORMAT.md recommends.
[[nodiscard]] std::vector<TraceRecord> records_of(RecordedRun const& run);

} // namespace keyswap::model::verify
