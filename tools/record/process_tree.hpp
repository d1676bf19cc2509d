#pragma once

/// \file Ends every process that descends from this one, whatever group or session it moved to.

#include <chrono>
#include <cstddef>
#include <span>
#include <sys/types.h>
#include <vector>

namespace keyswap::conformance {

/// While one lives, processes below this one whose parent ends become children of this one instead
/// of the system's first process, so that a daemon cannot get away (PR_SET_CHILD_SUBREAPER).
class Subreaper {
  public:
    Subreaper();
    ~Subreaper();
    Subreaper(Subreaper const&) = delete;
    Subreaper& operator=(Subreaper const&) = delete;

  private:
    int before_ = 0;
};

/// Children of this process, the ended ones that nobody waited for included.
[[nodiscard]] std::vector<pid_t> child_processes();

/// What end_descendants() found.
struct EndedProcesses {
    std::size_t running = 0; ///< that had to be killed
    bool complete = true;    ///< false: some live on, since they belong to another user, say
};

/// Kills and waits for all children of this process but the spared ones, and for what they started.
/// Gives up after `patience`.
/// \pre a Subreaper lives: grandchildren are reached when their parents are gone
EndedProcesses end_descendants(std::span<pid_t const> spared, std::chrono::milliseconds patience);

} // namespace keyswap::conformance
