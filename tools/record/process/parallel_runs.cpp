#include "tools/record/process/parallel_runs.hpp"

#include "tools/record/process/deferred_signals.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/descriptor.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace keyswap::conformance {

namespace {

/// Moves `size` bytes, a part at a time; false if the other end is closed first.
bool transfer_all(std::size_t size, std::function<ssize_t(std::size_t done)> const& transfer_from) {
    for (std::size_t done = 0; done < size;) {
        ssize_t const count = transfer_from(done);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return false;
        }
        done += static_cast<std::size_t>(count);
    }
    return true;
}

bool read_all(int socket, void* bytes, std::size_t size) {
    return transfer_all(size, [=](std::size_t done) {
        return ::read(socket, static_cast<char*>(bytes) + done, size - done);
    });
}

/// Without SIGPIPE if the other end is closed.
bool send_all(int socket, void const* bytes, std::size_t size) {
    return transfer_all(size, [=](std::size_t done) {
        return ::send(socket, static_cast<char const*>(bytes) + done, size - done, MSG_NOSIGNAL);
    });
}

/// Main loop of a worker process: receives task numbers, sends results.
[[noreturn]] void
run_worker(int socket, unsigned process, pid_t keyswap, ParallelRuns const& runs) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::uint64_t task = 0;
    while (::getppid() == keyswap && read_all(socket, &task, sizeof(task))) {
        std::string const result = runs.run(process, task);
        std::uint64_t const size = result.size();
        if (!send_all(socket, &size, sizeof(size)) ||
            !send_all(socket, result.data(), result.size())) {
            break;
        }
    }
    ::_exit(0);
}

struct Worker {
    pid_t pid = 0; ///< 0: none
    Descriptor socket;
    std::uint64_t task = 0;
};

class Workers {
  public:
    Workers(unsigned jobs, ParallelRuns const& runs) : runs_(runs), workers_(jobs) {}
    Workers(Workers const&) = delete;
    Workers& operator=(Workers const&) = delete;
    ~Workers() {
        for (Worker& worker : workers_) {
            end(worker);
        }
    }

    Expected<void> run_all() {
        for (unsigned i = 0; i < workers_.size(); ++i) {
            KEYSWAP_RETURN_IF_ERROR(give_task(i));
        }
        while (true) {
            std::vector<pollfd> sockets;
            std::vector<unsigned> indices;
            for (unsigned i = 0; i < workers_.size(); ++i) {
                if (workers_[i].pid != 0) {
                    sockets.push_back({workers_[i].socket.number(), POLLIN, 0});
                    indices.push_back(i);
                }
            }
            if (sockets.empty()) {
                return {};
            }
            constexpr int look_ms = 50; // poll() does not report signals
            ::poll(sockets.data(), sockets.size(), look_ms);
            pass_signal_on();
            for (std::size_t i = 0; i < sockets.size(); ++i) {
                if (sockets[i].revents == 0) {
                    continue;
                }
                take_result(workers_[indices[i]]);
                KEYSWAP_RETURN_IF_ERROR(give_task(indices[i]));
            }
        }
    }

  private:
    /// Sends a task to a process, started if necessary; ends the process if there is no task.
    Expected<void> give_task(unsigned process) {
        Worker& worker = workers_[process];
        auto const task = runs_.next();
        if (!task) {
            end(worker);
            return {};
        }
        if (worker.pid == 0) {
            KEYSWAP_RETURN_IF_ERROR(start(worker, process));
        }
        worker.task = *task;
        static_cast<void>(
            send_all(worker.socket.number(), &*task, sizeof(*task))); // death is seen later
        return {};
    }

    Expected<void> start(Worker& worker, unsigned process) {
        std::array<int, 2> ends{-1, -1};
        pid_t const self = ::getpid();
        std::cout.flush();
        std::cerr.flush();
        bool const paired = ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0;
        Descriptor own_end(ends[0]);
        Descriptor worker_end(ends[1]);
        pid_t const pid = paired ? ::fork() : -1;
        if (pid == 0) {
            for (Worker& other : workers_) {
                other.socket = {};
            }
            own_end = {};
            run_worker(worker_end.number(), process, self, runs_);
        }
        if (pid < 0) {
            return input_error("record",
                               "cannot start a process: " + std::string(std::strerror(errno)),
                               "run fewer at once");
        }
        worker = {pid, std::move(own_end), 0};
        return {};
    }

    void take_result(Worker& worker) {
        std::uint64_t size = 0;
        std::string result;
        bool whole = read_all(worker.socket.number(), &size, sizeof(size));
        if (whole) {
            result.resize(size);
            whole = read_all(worker.socket.number(), result.data(), size);
        }
        std::uint64_t const task = worker.task;
        if (!whole) {
            end(worker);
        }
        runs_.take(task, whole ? std::optional(std::move(result)) : std::nullopt);
    }

    /// Ends a worker by closing its socket.
    static void end(Worker& worker) {
        if (worker.pid != 0) {
            worker.socket = {};
            ::waitpid(worker.pid, nullptr, 0);
            worker = {};
        }
    }

    void pass_signal_on() {
        if (passed_on_ || !DeferredSignals::waiting()) {
            return;
        }
        passed_on_ = true;
        for (Worker const& worker : workers_) {
            if (worker.pid != 0) {
                ::kill(worker.pid, SIGTERM);
            }
        }
    }

    ParallelRuns const& runs_;
    std::vector<Worker> workers_;
    bool passed_on_ = false;
};

} // namespace

Expected<void> run_in_processes(unsigned jobs, ParallelRuns const& runs) {
    return Workers(jobs, runs).run_all();
}

} // namespace keyswap::conformance
