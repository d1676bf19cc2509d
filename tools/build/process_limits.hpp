#pragma once

/// \file The limits of this process (`ulimit`): beyond each of them an error, never a signal or a
/// standstill.

#include <memory>
#include <tbb/global_control.h>

namespace keyswap::tools {

/// Holds while it lives. To be made first of all in main().
///
/// - A write beyond the largest file size fails as on a full disk, without a signal.
/// - Under a limit on address space there are as many threads and heaps as fit. A thread of glibc
///   reserves 8 MiB for its stack and 128 MiB for its heap; without a heap, every allocation is a
///   system call, and a second of work takes hours.
/// - A thread that TBB cannot start ends the program with an error instead of a signal.
class ProcessLimits {
  public:
    ProcessLimits();
    ProcessLimits(ProcessLimits const&) = delete;
    ProcessLimits& operator=(ProcessLimits const&) = delete;
    ~ProcessLimits();

  private:
    std::unique_ptr<tbb::global_control> threads_; ///< null without a limit
};

} // namespace keyswap::tools
