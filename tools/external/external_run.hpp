#pragma once

/// \file What the steps of an external sort share, and the steps.

#include "model/external/external_plan.hpp"
#include "model/external/external_records.hpp"
#include "tools/external/buffer_arena.hpp"
#include "tools/external/manifest.hpp"
#include "tools/external/rank_team.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace keyswap::tools {

/// Seconds in which each stage of a step was busy: they overlap.
struct StageSeconds {
    double read = 0;
    double work = 0; ///< distributing, or sorting
    double write = 0;

    /// Calls a function, and adds the time that it takes to a stage's.
    template <class Function>
    static auto add(double& seconds, Function const& function) {
        auto const begin = std::chrono::steady_clock::now();
        auto result = function();
        seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return result;
    }
};

/// What a sort took. Bytes and seconds are those of this run, without what an earlier one did.
struct ExternalResult {
    std::uint64_t record_count = 0;
    std::uint64_t range_count = 0;
    std::uint64_t single_valued_ranges = 0;
    std::uint64_t oversized_records = 0; ///< of ranges that did not fit: read and written once more
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
    std::uint64_t buffer_bytes = 0; ///< most that all buffers took
    double partition_seconds = 0;
    double sort_seconds = 0;
    StageSeconds partition_stages; ///< without the sample
    StageSeconds sort_stages;
    bool continued = false; ///< an interrupted one
    MultisetDigest digest;
    std::vector<TraceRecord> records; ///< of the whole sort: memory, divisions and ranges
};

/// How a caller follows and ends a sort.
struct ExternalControl {
    std::function<void(std::uint64_t bytes)> on_bytes_moved; ///< any thread; may be empty
    std::function<bool()> wants_end; ///< asked often, by any thread; may be empty
    std::function<void(std::uint64_t bytes)> on_total_known = {}; ///< bytes to move; may be empty
};

/// Most bytes of ranges that are placed, and whose runs wait for a save.
[[nodiscard]] inline std::uint64_t unsaved_bytes_max(model::ExternalMemory const& memory) {
    return std::max(memory.given_bytes / 2, std::uint64_t{1} << 27);
}

class OutputFiles;

/// What the steps share.
struct ExternalRun {
    ExternalJob job;
    ExternalControl const& control;
    Storage& storage;
    model::ExternalMemory memory;
    RankTeam& team;
    Manifest manifest;
    BufferArena arena;
    ExternalResult result = {};
    std::vector<model::uint128> stream_sample = {}; ///< of an input that is a stream

    [[nodiscard]] Expected<void> poll() const;
    /// Saves this rank's manifest, if the sort has any.
    [[nodiscard]] Expected<void> save_own_manifest() const {
        return job.range_storage == RangeStorage::memory ? Expected<void>{}
                                                         : manifest.save(job, storage);
    }
    /// Saves what all ranks have agreed on.
    [[nodiscard]] Expected<void> save_manifest();
    /// Gives all ranks what the owners of ranges know of them.
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

/// \return an error if an input is not what it was when the sort began
[[nodiscard]] Expected<void> expect_unchanged(ExternalJob const& job);

/// Counts the records of all inputs and draws the sample, in one reading.
[[nodiscard]] Expected<void> survey_streams(ExternalRun& run);

/// Divides a range into others that fit, a run each, which take its place. All ranks divide the
/// input, round by round; another range is divided by its owner.
[[nodiscard]] Expected<void> partition_range(ExternalRun& run, std::size_t index);

/// Sorts every range of this rank that is not placed yet and writes it where it belongs.
[[nodiscard]] Expected<void> place_ranges(ExternalRun& run, OutputFiles& outputs);

} // namespace keyswap::tools
