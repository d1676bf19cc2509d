#include "tools/record/process/deferred_signals.hpp"

#include <array>

namespace keyswap::conformance {

namespace {

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

bool is_ignored(int signal) {
    struct sigaction action {};
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

} // namespace

DeferredSignals::DeferredSignals() {
    sigset_t held;
    sigemptyset(&held);
    for (int const signal : ending_signals) {
        if (!is_ignored(signal)) {
            sigaddset(&held, signal);
        }
    }
    ::pthread_sigmask(SIG_BLOCK, &held, &before_);
}

DeferredSignals::~DeferredSignals() {
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool DeferredSignals::waiting() {
    sigset_t pending;
    sigemptyset(&pending);
    ::sigpending(&pending);
    for (int const signal : ending_signals) {
        if (sigismember(&pending, signal) == 1) {
            return true;
        }
    }
    return false;
}

void DeferredSignals::release() {
    sigset_t all;
    sigemptyset(&all);
    for (int const signal : ending_signals) {
        sigaddset(&all, signal);
    }
    ::pthread_sigmask(SIG_UNBLOCK, &all, nullptr);
}

} // namespace keyswap::conformance
