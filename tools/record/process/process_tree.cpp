#include "tools/record/process/process_tree.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace keyswap::conformance {

namespace {

namespace fs = std::filesystem;

/// Fields of /proc/<pid>/stat.
struct ProcessStatus {
    char state = 'Z'; ///< R, S, ...; Z for a zombie
    pid_t parent = 0;
};

std::optional<ProcessStatus> status_of(std::string const& pid) {
    std::string text;
    std::getline(std::ifstream("/proc/" + pid + "/stat"), text, '\0');
    // Format "7 (name) S 1 ..."; the name may contain parentheses and spaces.
    std::size_t const name_end = text.rfind(')');
    if (name_end == std::string::npos || text.size() < name_end + 5) {
        return std::nullopt;
    }
    ProcessStatus status{text[name_end + 2], 0};
    std::from_chars(text.data() + name_end + 4, text.data() + text.size(), status.parent);
    return status;
}

std::vector<std::pair<pid_t, ProcessStatus>> children_with_status() {
    std::vector<std::pair<pid_t, ProcessStatus>> children;
    std::error_code error;
    fs::directory_iterator entry("/proc", error);
    while (!error && entry != fs::directory_iterator()) {
        std::string const name = entry->path().filename().string();
        pid_t pid = 0;
        bool const is_process =
            std::from_chars(name.data(), name.data() + name.size(), pid).ec == std::errc();
        if (is_process) {
            if (auto const status = status_of(name); status && status->parent == ::getpid()) {
                children.emplace_back(pid, *status);
            }
        }
        entry.increment(error);
    }
    return children;
}

/// Kills a child and its process group at once: processes that fork faster than they can be found
/// are in one group, which cannot fork after it is killed.
void kill_with_group(pid_t child) {
    pid_t const group = ::getpgid(child);
    if (group > 1 && group != ::getpgrp()) {
        ::kill(-group, SIGKILL);
    }
    ::kill(child, SIGKILL);
}

/// True if a process died like those killed by kill_with_group().
bool was_killed(int wait_status) {
    return WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL;
}

} // namespace

Subreaper::Subreaper() {
    ::prctl(PR_GET_CHILD_SUBREAPER, &before_);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Subreaper::~Subreaper() {
    ::prctl(PR_SET_CHILD_SUBREAPER, before_);
}

std::vector<pid_t> child_processes() {
    std::vector<pid_t> pids;
    for (auto const& [pid, status] : children_with_status()) {
        pids.push_back(pid);
    }
    return pids;
}

EndedProcesses end_descendants(std::span<pid_t const> spared, std::chrono::milliseconds patience) {
    auto const deadline = std::chrono::steady_clock::now() + patience;
    EndedProcesses result;
    std::vector<pid_t> seen;
    auto pause = std::chrono::microseconds(100);
    constexpr auto pause_max = std::chrono::microseconds(10'000);
    for (int look = 0;; ++look) {
        siginfo_t ignored{};
        bool const childless =
            ::waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
        if (childless) {
            return result; // fast path, without scanning /proc
        }
        bool left = false;
        for (auto const& [pid, status] : children_with_status()) {
            if (std::ranges::find(spared, pid) != spared.end()) {
                continue;
            }
            bool const is_new = std::ranges::find(seen, pid) == seen.end();
            if (status.state != 'Z' && is_new) {
                seen.push_back(pid);
                result.running += 1;
            }
            kill_with_group(pid);
            int ending = 0;
            bool const reaped = ::waitpid(pid, &ending, WNOHANG) == pid;
            // A daemon in the group of an ended parent was killed with that group, so it is a
            // zombie when first found.
            if (status.state == 'Z' && is_new && reaped && was_killed(ending) && look > 0) {
                result.running += 1;
            }
            left = !reaped || left;
        }
        // A reaped process may have left children: repeat until none are found.
        if (!left && children_with_status().size() <= spared.size()) {
            return result;
        }
        if (std::chrono::steady_clock::now() > deadline) {
            result.complete = false;
            return result;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, pause_max);
    }
}

} // namespace keyswap::conformance
