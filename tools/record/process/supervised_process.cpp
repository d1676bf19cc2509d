#include "tools/record/process/supervised_process.hpp"

#include "tools/record/process/deferred_signals.hpp"
#include "tools/record/process/process_tree.hpp"
#include "tools/record/process/shared_value.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/descriptor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace keyswap::conformance {

namespace {

using Clock = std::chrono::steady_clock;
using How = SupervisedEnd::How;

constexpr std::chrono::milliseconds kill_timeout{5'000}; ///< SIGKILL takes milliseconds
constexpr std::size_t words_max = 4096;

/// Report of the supervisor; complete once the child's end is known and no descendant is
/// left.
struct Finding {
    bool complete = false;
    How how = How::unknown;
    int value = 0;
    std::uint64_t left_running = 0;
    bool all_ended = true;
    std::int64_t duration_ns = 0;
    std::int64_t ended_at_ns = 0;        ///< CLOCK_REALTIME, as for files
    std::uint64_t word_count = 0;        ///< bytes written in total
    std::array<char, words_max> words{}; ///< ring buffer: byte i is at i % words_max
};

struct Pipe {
    Descriptor read_end;
    Descriptor write_end;
};

Expected<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return input_error(
            "record", std::string("cannot create a pipe: ") + std::strerror(errno), "try again");
    }
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

InputError no_process(int error_number) {
    return {"record",
            std::string("cannot start a process: ") + std::strerror(error_number),
            "end other programs"};
}

/// Time not before the modification time of any file written so far. Not the coarse clock: since
/// Linux 6.13, files whose times were read get fine-grained times.
std::chrono::nanoseconds file_clock_now() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// Reads all available bytes. \return false at end of file
bool drain(int pipe, Finding& finding) {
    std::array<char, words_max> block{};
    while (true) {
        ssize_t const size = ::read(pipe, block.data(), block.size());
        if (size <= 0) {
            return size < 0 && (errno == EAGAIN || errno == EINTR);
        }
        for (ssize_t i = 0; i < size; ++i) {
            finding.words[finding.word_count++ % words_max] = block[static_cast<std::size_t>(i)];
        }
    }
}

std::string output_tail(Finding const& finding) {
    std::string text;
    for (std::uint64_t i =
             finding.word_count - std::min(finding.word_count, std::uint64_t{words_max});
         i < finding.word_count;
         ++i) {
        text += finding.words[i % words_max];
    }
    return text;
}

/// Runs the child. Its output goes to the supervisor, apart from Keyswap's own.
[[noreturn]] void run_child(std::function<int()> const& work, pid_t supervisor, Pipe& words) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != supervisor) {
        ::_exit(0);
    }
    ::setsid();
    ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    ::dup2(words.write_end.number(), STDOUT_FILENO);
    ::dup2(words.write_end.number(), STDERR_FILENO);
    words = {};
    DeferredSignals::release();
    ::signal(SIGXFSZ, SIG_DFL); // Keyswap itself ignores it to get an error
    ::_exit(work());
}

/// Waits for the child's end, or for a reason to end it early.
void watch(pid_t child, int keyswap, int words, Clock::time_point deadline, Finding& finding) {
    constexpr auto pause_min = std::chrono::microseconds(100);
    constexpr auto pause_max = std::chrono::microseconds(10'000);
    auto pause = pause_min;
    bool open = true;
    while (true) {
        int status = 0;
        for (pid_t ended = 1; ended > 0;) { // also reaps adopted processes
            ended = ::waitpid(-1, &status, WNOHANG);
            if (ended == child) {
                finding.how = WIFSIGNALED(status) ? How::killed : How::exited;
                finding.value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
                return;
            }
        }
        if (Clock::now() > deadline) {
            finding.how = How::timed_out;
            return;
        }
        std::array<pollfd, 2> events{pollfd{keyswap, POLLIN, 0}, pollfd{words, POLLIN, 0}};
        timespec const wait{0, std::chrono::nanoseconds(pause).count()};
        ::ppoll(events.data(), open ? 2 : 1, &wait, nullptr);
        if (events[0].revents != 0) {
            finding.how = How::interrupted;
            return;
        }
        if (open && !drain(words, finding)) { // end of output, usually the child's end
            open = false;
            pause = pause_min;
        }
        pause = std::min(pause * 2, pause_max);
    }
}

/// True if Keyswap has died, which closes its end of the pipe; a byte is a request to stop.
bool has_keyswap_died(int keyswap) {
    char byte = 0;
    ::fcntl(keyswap, F_SETFL, O_NONBLOCK);
    return ::read(keyswap, &byte, 1) == 0;
}

/// Runs the supervisor.
[[noreturn]] void supervise(std::function<int()> const& work,
                            std::chrono::milliseconds timeout,
                            Descriptor& keyswap,
                            RemovedWithKeyswap const& removed,
                            Finding& finding) {
    ::setsid(); // survives signals to Keyswap's group
    Subreaper const reaper;
    auto words = make_pipe();
    pid_t const self = ::getpid();
    pid_t const child = words ? ::fork() : -1;
    if (child == 0) {
        keyswap = {};
        run_child(work, self, *words);
    }
    if (child > 0) {
        words->write_end = {};
        ::fcntl(words->read_end.number(), F_SETFL, O_NONBLOCK);
        auto const begin = Clock::now();
        watch(child, keyswap.number(), words->read_end.number(), begin + timeout, finding);
        finding.duration_ns = std::chrono::nanoseconds(Clock::now() - begin).count();
        finding.ended_at_ns = file_clock_now().count();
        EndedProcesses const ended = end_descendants({}, kill_timeout);
        bool const ended_itself = finding.how == How::exited || finding.how == How::killed;
        finding.left_running = ended_itself ? ended.running : 0;
        finding.all_ended = ended.complete;
        drain(words->read_end.number(), finding);
        finding.complete = true;
    }
    if (has_keyswap_died(keyswap.number())) {
        std::error_code ignored;
        for (std::filesystem::path const& path : removed.whole) {
            std::filesystem::remove_all(path, ignored);
        }
        if (!removed.if_empty.empty()) {
            std::filesystem::remove(removed.if_empty, ignored);
        }
    }
    ::_exit(0);
}

/// Waits for the supervisor; kills it if it exceeds the deadline.
void wait_for(pid_t supervisor, Clock::time_point deadline, int own_end) {
    auto pause = std::chrono::microseconds(200);
    constexpr auto pause_max = std::chrono::microseconds(10'000);
    bool stop_sent = false;
    while (::waitpid(supervisor, nullptr, WNOHANG) == 0) {
        if (!stop_sent && DeferredSignals::waiting()) {
            stop_sent = true;
            static_cast<void>(::write(own_end, "!", 1) == 1); // one byte never blocks
            deadline = std::min(deadline, Clock::now() + 2 * kill_timeout);
        }
        if (Clock::now() > deadline) { // stopped by its child
            ::kill(supervisor, SIGKILL);
            ::waitpid(supervisor, nullptr, 0);
            return;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, pause_max);
    }
}

} // namespace

Expected<SupervisedEnd> run_supervised(std::function<int()> const& work,
                                       std::chrono::milliseconds timeout,
                                       RemovedWithKeyswap const& removed) {
    KEYSWAP_TRY(auto const finding, SharedValue<Finding>::make());
    // The read end is open until the return, or a write to an ended supervisor would be SIGPIPE.
    KEYSWAP_TRY(auto life, make_pipe());
    std::vector<pid_t> const others = child_processes();
    Subreaper const reaper; // adopts what outlives its supervisor
    std::cout.flush();
    std::cerr.flush();
    auto const deadline = Clock::now() + timeout + 2 * kill_timeout;
    pid_t const supervisor = ::fork();
    if (supervisor == 0) {
        life.write_end = {};
        supervise(work, timeout, life.read_end, removed, *finding);
    }
    int const fork_error = errno;
    if (supervisor > 0) {
        wait_for(supervisor, deadline, life.write_end.number());
    }
    if (supervisor < 0) {
        return tl::unexpected(no_process(fork_error));
    }
    Finding const& found = *finding;
    SupervisedEnd end;
    if (!found.complete) {
        EndedProcesses const ended = end_descendants(others, kill_timeout);
        end.left_running = ended.running;
        end.all_ended = ended.complete;
        end.how = DeferredSignals::waiting() ? How::interrupted : How::unknown;
        return end;
    }
    return SupervisedEnd{found.how,
                         found.value,
                         found.left_running,
                         found.all_ended,
                         std::chrono::nanoseconds(found.duration_ns),
                         std::chrono::nanoseconds(found.ended_at_ns),
                         output_tail(found)};
}

} // namespace keyswap::conformance
