#pragma once

/// \file Sequences of sorts on one sorter: generate, run, shrink, save and load.

#include "proptests/live/live_case.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// Cases sorted one after the other by the same sorter.
using Session = std::vector<LiveCase>;

struct Failure {
    std::string problem;
    Session session; ///< its last case fails
};

/// The first case draws the configuration; later ones draw only keys.
[[nodiscard]] Session draw_session(rc::Random& random, LiveLimits const& limits);

/// Runs a session on GPUs. \returns the first failure, if any
[[nodiscard]] std::optional<Failure> run_session(Session const& session);

/// Shrinks the last case if it fails alone; otherwise removes earlier cases from the session.
[[nodiscard]] Failure shrink_failure(Failure failure);

/// Writes a session with one case per line. \returns the path of the file
[[nodiscard]] std::filesystem::path save_session(Session const& session,
                                                 std::filesystem::path const& folder);
[[nodiscard]] Expected<Session> read_session(std::filesystem::path const& path);

} // namespace keyswap::proptests
