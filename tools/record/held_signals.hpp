#pragma once

/// \file Ctrl-C and similar signals wait until the running processes have ended.

#include <csignal>

namespace keyswap::conformance {

/// Holds back the signals by which people end a program, but for those that are ignored anyhow.
/// One that came meanwhile takes effect when this is destroyed, so that the program then ends by
/// it, as its caller expects. Threads and processes that start meanwhile hold them back too.
class HeldSignals {
  public:
    HeldSignals();
    ~HeldSignals();
    HeldSignals(HeldSignals const&) = delete;
    HeldSignals& operator=(HeldSignals const&) = delete;

    /// One of them is held back now, by whoever holds them.
    [[nodiscard]] static bool waiting();
    /// Lets them through again, as a new process does whose parent holds them back.
    static void release();

  private:
    sigset_t before_{};
};

} // namespace keyswap::conformance
