#include "tools/output/closed_pipe.hpp"

#include <atomic>
#include <csignal>
#include <poll.h>
#include <unistd.h>

namespace keyswap::tools {

namespace {

std::atomic<bool> is_handled = false;
std::atomic<bool> is_outlived = false;
static_assert(std::atomic<bool>::is_always_lock_free, "the handler reads it");

void end_by_closed_pipe() {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
}

} // namespace

void handle_closed_pipe() {
    // A handler, since an ignored signal would remain ignored in child processes.
    auto const before = std::signal(SIGPIPE, [](int /*signal*/) {
        if (!is_outlived) {
            end_by_closed_pipe();
        }
    });
    if (before == SIG_IGN) {
        std::signal(SIGPIPE, SIG_IGN);
        return;
    }
    is_handled = true;
}

void outlive_closed_pipe() {
    is_outlived = true;
}

void end_if_pipe_closed() {
    pollfd output{STDOUT_FILENO, 0, 0};
    bool const is_closed = ::poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
    if (is_handled && is_closed) {
        end_by_closed_pipe();
    }
}

} // namespace keyswap::tools
