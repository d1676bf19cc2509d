#include "proptests/foreign_sort.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace keyswap::conformance {

namespace {

/// Exit statuses of the child, above those that a sort is likely to return.
constexpr int no_library = 120;
constexpr int no_function = 121;
constexpr int refused = 122;

/// Runs `work` in a child and waits for its end. The child becomes a group of its own, so that what
/// it starts ends with it.
ChildOutcome run_child(std::function<int()> const& work, std::chrono::milliseconds timeout) {
    pid_t const child = ::fork();
    if (child < 0) {
        return {ChildEnd::not_started, std::strerror(errno)};
    }
    if (child == 0) {
        ::setpgid(0, 0);
        // Handlers of ours, as a sanitizer has them, would make an exit status of a crash.
        for (int const signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
            ::signal(signal, SIG_DFL);
        }
        ::_exit(work());
    }
    ::setpgid(child, child);
    auto const deadline = std::chrono::steady_clock::now() + timeout;
    int status = 0;
    auto pause = std::chrono::microseconds(200);
    constexpr auto pause_max = std::chrono::microseconds(20'000);
    while (::waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > deadline) {
            ::kill(-child, SIGKILL);
            ::waitpid(child, &status, 0);
            return {ChildEnd::timed_out, "after " + std::to_string(timeout.count()) + " ms"};
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, pause_max);
    }
    if (WIFSIGNALED(status)) {
        int const signal = WTERMSIG(status);
        return {ChildEnd::killed, ::strsignal(signal)};
    }
    switch (WEXITSTATUS(status)) {
    case 0:
        return {};
    case no_library:
        return {ChildEnd::not_started, "the library cannot be loaded"};
    case no_function:
        return {ChildEnd::not_started, "the library has no such function"};
    case refused:
        return {ChildEnd::refused, "the function did not return 0"};
    default:
        return {ChildEnd::refused, "exit status " + std::to_string(WEXITSTATUS(status))};
    }
}

int call_function(std::filesystem::path const& library,
                  std::string const& function,
                  ForeignMemory const& memory) {
    // A name without a slash would be looked for in the system's folders.
    void* const handle =
        ::dlopen(std::filesystem::absolute(library).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        return no_library;
    }
    void* const symbol = ::dlsym(handle, function.c_str());
    if (symbol == nullptr) {
        return no_function;
    }
    auto const sort = reinterpret_cast<ForeignFunction>(symbol);
    std::string const type(to_string(memory.key_type));
    void* const values = memory.value_bytes == 0 ? nullptr : memory.values.bytes().data();
    return sort(memory.keys.bytes().data(),
                memory.key_count,
                type.c_str(),
                values,
                memory.value_bytes) == 0
               ? 0
               : refused;
}

} // namespace

std::string_view to_string(ChildEnd end) {
    constexpr std::array<std::string_view, 6> names{"returned",
                                                    "refused",
                                                    "killed by a signal",
                                                    "timed out",
                                                    "wrote out of bounds",
                                                    "not started"};
    return names[static_cast<std::size_t>(end)];
}

ChildOutcome run_library(std::filesystem::path const& library,
                         std::string const& function,
                         ForeignMemory const& memory,
                         std::chrono::milliseconds timeout) {
    ChildOutcome outcome =
        run_child([&] { return call_function(library, function, memory); }, timeout);
    bool const intact = memory.keys.surroundings_intact() && memory.values.surroundings_intact();
    if (!intact) {
        return {ChildEnd::out_of_bounds, "bytes beside the keys were changed"};
    }
    return outcome;
}

ChildOutcome run_command(std::string const& command, std::chrono::milliseconds timeout) {
    return run_child(
        [&command] {
            ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
            return no_library;
        },
        timeout);
}

} // namespace keyswap::conformance
