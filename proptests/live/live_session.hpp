#pragma once

/// \file Sequences of sorts by one sorter: drawn, run, shrunk, saved and read again.

#include "proptests/live/live_case.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// Sorts of one sorter, in their order.
using Session = std::vector<LiveCase>;

struct Failure {
    std::string problem;
    Session session; ///< the last case is the one that fails
};

/// The first case draws the configuration, the others only keys.
[[nodiscard]] Session draw_session(rc::Random& random, LiveLimits const& limits);

/// Runs a session on GPUs; says what is wrong with its last case, or with any before it.
[[nodiscard]] std::optional<Failure> run_session(Session const& session);

/// Smaller in its number of sorts first; a single sort is shrunk in all directions.
[[nodiscard]] Failure shrink_failure(Failure failure);

/// Writes a session as lines of cases. \returns the file's path
[[nodiscard]] std::filesystem::path save_session(Session const& session,
                                                 std::filesystem::path const& folder);
[[nodiscard]] Expected<Session> read_session(std::filesystem::path const& path);

} // namespace keyswap::proptests
