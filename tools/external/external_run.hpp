#pragma once

/// \file State shared by the steps of an external sort, and the steps themselves.

#include "model/external/external_plan.hpp"
#include "model/external/external_records.hpp"
#include "tools/build/stopwatch.hpp"
#include "tools/external/files/manifest.hpp"
#include "tools/external/pipeline/buffer_arena.hpp"
#include "tools/external/pipeline/rank_team.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Busy seconds of each stage of a step. Stages overlap, so the sum may exceed the elapsed time.
struct StageSeconds {
    double read = 0;
    double work = 0; ///< distribute, or sort
    double write = 0;

    /// Calls a function and adds its elapsed time to `seconds`.
    template <class Function>
    static auto add(double& seconds, Function const& function) {
        Stopwatch const stopwatch;
        auto result = function();
        seconds += stopwatch.seconds();
        return result;
    }
};

/// Counts and times of a sort. Bytes and seconds exclude an earlier, interrupted run.
struct ExternalResult {
    std::uint64_t record_count = 0;
    std::uint64_t range_count = 0;
    std::uint64_t single_valued_ranges = 0;
    std::uint64_t oversized_records = 0; ///< in oversized ranges, read and written once more
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
    std::uint64_t buffer_bytes = 0; ///< peak of all buffers
    double partition_seconds = 0;
    double sort_seconds = 0;
    StageSeconds partition_stages; ///< without sampling
    StageSeconds sort_stages;
    bool continued = false; ///< an interrupted sort was continued
    MultisetDigest digest;
    std::vector<TraceRecord> records; ///< of the whole sort: memory, divisions, ranges
};

/// Callbacks to follow and cancel a sort.
struct ExternalControl {
    std::function<void(std::uint64_t bytes)> on_bytes_moved; ///< called by any thread; may be empty
    std::function<bool()> wants_end; ///< polled often, by any thread; may be empty
    std::function<void(std::uint64_t bytes)> on_total_known = {}; ///< bytes to move; may be empty
};

/// Upper bound for bytes of placed ranges whose runs await the next save of the manifest.
[[nodiscard]] inline std::uint64_t unsaved_bytes_max(model::ExternalMemory const& memory) {
    return std::max(memory.given_bytes / 2, std::uint64_t{1} << 27);
}

class OutputFiles;

/// State shared by the steps.
struct ExternalRun {
    ExternalJob job;
    ExternalControl const& control;
    Storage& storage;
    model::ExternalMemory memory;
    RankTeam& team;
    Manifest manifest;
    BufferArena arena;
    ExternalResult result = {};
    std::vector<model::uint128> stream_sample = {}; ///< if an input is a stream: its sample

    [[nodiscard]] Expected<void> poll() const;
    /// Saves this rank's manifest; does nothing if ranges are in memory.
    [[nodiscard]] Expected<void> save_own_manifest() const {
        return job.range_storage == RangeStorage::memory ? Expected<void>{}
                                                         : manifest.save(job, storage);
    }
    /// Saves the manifest that all ranks have agreed on.
    [[nodiscard]] Expected<void> save_manifest();
    /// Sends the owners' state of each range (digests, place) to all ranks.
    void collect(std::vector<RangeState>& ranges) const;
    [[nodiscard]] model::SampleRule sample_rule() const {
        return {model::external_sample_seed, job.is_streamed()};
    }
    void count_moved(std::uint64_t bytes) const {
        if (control.on_bytes_moved) {
            control.on_bytes_moved(bytes);
        }
    }
};

/// \return an error if an input has changed since the sort began
[[nodiscard]] Expected<void> expect_unchanged(ExternalJob const& job);

/// Remedy for a sort that cannot continue with its files.
[[nodiscard]] std::string restart_remedy(ExternalJob const& job);

/// Error for a file of an interrupted or running sort whose content is not what this sort wrote.
/// \param problem as "is missing"
[[nodiscard]] InputError
damaged_file(ExternalJob const& job, std::filesystem::path const& file, std::string problem);

/// Error for a range's run with records outside the range.
[[nodiscard]] InputError damaged_run(ExternalJob const& job, RangeState const& range);

/// Counts the records of all inputs and draws the sample, in one pass over the inputs.
[[nodiscard]] Expected<void> survey_streams(ExternalRun& run);

/// Replaces a range by child ranges that fit into memory, a run each. All ranks divide the input,
/// round by round; any other range is divided by its owner.
[[nodiscard]] Expected<void> partition_range(ExternalRun& run, std::size_t index);

/// Sorts each of this rank's ranges that is not in the output yet and writes it there.
[[nodiscard]] Expected<void> place_ranges(ExternalRun& run, OutputFiles& outputs);

} // namespace keyswap::tools
