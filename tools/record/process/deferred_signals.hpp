#pragma once

/// \file Defers Ctrl-C and similar signals until the running processes have ended.

#include <csignal>

namespace keyswap::conformance {

/// Blocks the signals that terminate a program on request, except ignored ones. The destructor
/// delivers a pending one, so the program then ends by that signal, as its caller expects. Threads
/// and processes started meanwhile inherit the mask.
class DeferredSignals {
  public:
    DeferredSignals();
    ~DeferredSignals();
    DeferredSignals(DeferredSignals const&) = delete;
    DeferredSignals& operator=(DeferredSignals const&) = delete;

    /// True if one of these signals is pending.
    [[nodiscard]] static bool waiting();
    /// Unblocks them, for a child process that inherited the mask.
    static void release();

  private:
    sigset_t before_{};
};

} // namespace keyswap::conformance
