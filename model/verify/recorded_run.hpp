#pragma once

/// \file The records of a trace by their kinds.

#include "traces/records.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace keyswap::conformance {

/// One recorded run. Records of a kind stay in the trace's order.
struct RecordedRun {
    std::string name; ///< of the file, for messages
    RunHeader header;
    std::vector<HistogramRecord> histograms;
    std::vector<PlacementRecord> placements;
    std::vector<OwnershipRecord> ownership;
    std::vector<CopyRecord> copies;
    std::vector<SortRangeRecord> sort_ranges;
    std::vector<DigestRecord> digests;
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
    [[nodiscard]] RecordedRun const& run() const { return run_; }
    [[nodiscard]] RecordedRun& run() { return run_; }

  private:
    RecordedRun run_;
};

[[nodiscard]] RecordedRun recorded_run_of(std::string name, std::span<TraceRecord const> records);

/// Reads a trace's file.
[[nodiscard]] Expected<RecordedRun> read_recorded_run(std::filesystem::path const& path);

/// The records again, in the order that traces/README.md recommends.
[[nodiscard]] std::vector<TraceRecord> records_of(RecordedRun const& run);

} // namespace keyswap::conformance
