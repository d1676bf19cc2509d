#pragma once

/// \file What a profiler saw of a run: work of GPUs and ranges of the program, by time.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// The name of all copies from one GPU to another.
inline constexpr char const* copy_between_gpus = "copy between GPUs";

/// A row of the timeline, in which nothing overlaps: a stream of a GPU, or what a thread named.
struct ProfileTrack {
    std::optional<std::uint32_t> gpu; ///< device number; none of a thread
    std::string name;                 ///< "stream 7", "thread 4711, level 2"
};

enum class SpanKind { kernel, copy, fill, range };

/// Something that lasted.
struct ProfileSpan {
    SpanKind kind = SpanKind::kernel;
    std::uint32_t track = 0; ///< of Profile::tracks
    std::uint32_t name = 0;  ///< of Profile::names
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    std::uint64_t size_bytes = 0;
    struct Route {
        std::uint32_t source = 0;      ///< device number
        std::uint32_t destination = 0; ///< device number
    };
    std::optional<Route> route = std::nullopt; ///< of a copy between two GPUs
};

/// A run as a profiler recorded it.
struct Profile {
    std::string title;
    std::string file;
    std::string made_by;                            ///< program and version; empty = unknown
    std::vector<std::uint32_t> gpus;                ///< device numbers, ascending
    std::map<std::uint32_t, std::string> gpu_names; ///< by device number, if known
    std::vector<ProfileTrack> tracks;               ///< by GPU, then threads
    std::vector<std::string> names; ///< the same one twice where things of two kinds have it
    std::vector<ProfileSpan> spans; ///< by track, then by begin; the first of all begins at 0
    std::vector<std::string> notes; ///< what is missing, or was left out, as sentences

    [[nodiscard]] std::int64_t duration_ns() const;
    /// Bytes copied between GPUs. [g * g], by place in `gpus`; rows send.
    [[nodiscard]] std::vector<std::uint64_t> matrix() const;
};

} // namespace keyswap::tools
