#include "tools/build/process_limits.hpp"

#include "tools/build/exit_code.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <malloc.h>
#include <new>
#include <stdexcept>
#include <string_view>
#include <sys/resource.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace keyswap::tools {

namespace {

/// Address space per thread: half for its heap, half for its work.
constexpr std::uint64_t thread_bytes = std::uint64_t{1} << 28; ///< 256 MiB

constexpr char const* no_threads =
    "keyswap: error: threads: no more can be started (raise the limits on processes and memory, "
    "ulimit -u and ulimit -v)\n";

std::terminate_handler handler_before = nullptr;

[[noreturn]] void end_with(char const* message) {
    static std::atomic_flag ending;
    while (ending.test_and_set()) {
        ::pause(); // another thread is ending the program
    }
    std::fputs(message, stderr);
    std::fflush(stderr);
    ::_exit(static_cast<int>(ExitCode::could_not_run));
}

/// TBB throws where no caller can catch it if a thread cannot be started or memory is exhausted.
void on_terminate() {
    try {
        if (auto const error = std::current_exception()) {
            std::rethrow_exception(error);
        }
    } catch (std::bad_alloc const&) {
        end_with("keyswap: error: memory: not enough for this run (use fewer keys, or raise the "
                 "limit, ulimit -v)\n");
    } catch (std::system_error const&) {
        end_with(no_threads);
    } catch (std::runtime_error const& error) {
        if (std::string_view(error.what()).find("pthread_create") != std::string_view::npos) {
            end_with(no_threads);
        }
    } catch (...) { // shown by the previous handler
    }
    handler_before();
}

/// Number of threads that fit into the address space limit; 0: no limit.
std::size_t threads_that_fit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return 0;
    }
    return static_cast<std::size_t>(std::max<std::uint64_t>(1, limit.rlim_cur / thread_bytes));
}

} // namespace

ProcessLimits::ProcessLimits() {
    std::signal(SIGXFSZ, SIG_IGN);
    handler_before = std::set_terminate(on_terminate);
    std::size_t const fitting = threads_that_fit();
    if (fitting == 0) {
        return;
    }
    ::mallopt(M_ARENA_MAX, static_cast<int>(std::min<std::size_t>(fitting, 1024)));
    if (fitting < std::thread::hardware_concurrency()) {
        threads_ = std::make_unique<tbb::global_control>(
            tbb::global_control::max_allowed_parallelism, fitting);
    }
}

ProcessLimits::~ProcessLimits() = default;

} // namespace keyswap::tools
