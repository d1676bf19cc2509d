#pragma once

/// \file Timeline of a run from a profiler: work of GPUs and named ranges of the program.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Name of all copies between two GPUs.
inline constexpr char const* copy_between_gpus = "copy between GPUs";

/// Row of the timeline without overlaps: a stream of a GPU, or a level of a thread's ranges.
struct ProfileTrack {
    std::optional<std::uint32_t> gpu; ///< device number; nullopt for a thread
    std::string name;                 ///< "stream 7", "thread 4711, level 2"
};

enum class SpanKind { kernel, copy, fill, range };

/// Interval of a timeline row.
struct ProfileSpan {
    SpanKind kind = SpanKind::kernel;
    std::uint32_t track = 0; ///< index in Profile::tracks
    std::uint32_t name = 0;  ///< index in Profile::names
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    std::uint64_t size_bytes = 0;
    struct Route {
        std::uint32_t source = 0;      ///< device number
        std::uint32_t destination = 0; ///< device number
    };
    std::optional<Route> route = std::nullopt; ///< only of a copy between two GPUs
};

/// A profiled run.
struct Profile {
    std::string title;
    std::string file;
    std::string made_by;                            ///< program and version; empty: unknown
    std::vector<std::uint32_t> gpus;                ///< device numbers, ascending
    std::map<std::uint32_t, std::string> gpu_names; ///< by device number; may be incomplete
    std::vector<ProfileTrack> tracks;               ///< GPUs first, then threads
    std::vector<std::string> names;                 ///< a name occurs once per kind of span
    std::vector<ProfileSpan> spans; ///< by track, then begin; the earliest one begins at 0
    std::vector<std::string> notes; ///< missing or skipped data, as sentences

    [[nodiscard]] std::int64_t duration_ns() const;
    /// Bytes copied between GPUs, [g * g] in the order of `gpus`; rows send.
    [[nodiscard]] std::vector<std::uint64_t> matrix() const;
};

} // namespace keyswap::tools
