#pragma once

/// \file Limits of this process (`ulimit`): exceeding one is reported as an error, never as a
/// signal or a hang.

#include <memory>
#include <tbb/global_control.h>

namespace keyswap::tools {

/// Active during its lifetime. Construct it first in main().
///
/// - A write beyond the file size limit fails as on a full disk, without SIGXFSZ.
/// - Under an address space limit, restricts the number of threads and heaps to what fits. A glibc
///   thread reserves 8 MiB for its stack and 128 MiB for its heap; without a heap, every allocation
///   is a system call, and a second of work takes hours.
/// - If TBB cannot start a thread, the program ends with an error instead of a signal.
class ProcessLimits {
  public:
    ProcessLimits();
    ProcessLimits(ProcessLimits const&) = delete;
    ProcessLimits& operator=(ProcessLimits const&) = delete;
    ~ProcessLimits();

  private:
    std::unique_ptr<tbb::global_control> threads_; ///< null if there is no limit
};

} // namespace keyswap::tools
