#pragma once

/// \file Kills every descendant of this process, including those in other groups or sessions.

#include <chrono>
#include <cstddef>
#include <span>
#include <sys/types.h>
#include <vector>

namespace keyswap::conformance {

/// During its lifetime, orphaned descendants become children of this process instead of init
/// (PR_SET_CHILD_SUBREAPER), so daemons cannot escape.
class Subreaper {
  public:
    Subreaper();
    ~Subreaper();
    Subreaper(Subreaper const&) = delete;
    Subreaper& operator=(Subreaper const&) = delete;

  private:
    int before_ = 0;
};

/// Children of this process, including zombies.
[[nodiscard]] std::vector<pid_t> child_processes();

/// Result of end_descendants().
struct EndedProcesses {
    std::size_t running = 0; ///< processes that it had to kill
    bool complete = true;    ///< false: some survived, for instance another user's
};

/// Kills and reaps all children of this process except the spared ones, and their descendants.
/// Gives up after `patience`.
/// \pre a Subreaper exists: it makes grandchildren reachable once their parents have ended
EndedProcesses end_descendants(std::span<pid_t const> spared, std::chrono::milliseconds patience);

} // namespace keyswap::conformance
