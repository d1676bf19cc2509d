// Misbehaving sort functions for the test of `keyswap record`, each with the interface of a sort.
// Most of them do sort, with some side effect.

#include <algorithm>
#include <array>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <numeric>
#include <pthread.h>
#include <stdexcept>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using Key = std::uint32_t;

constexpr int far_keys = 30'000; ///< offset outside the arrays: 120 kB

void sort_keys(Key* keys, std::uint64_t count) {
    std::sort(keys, keys + count);
}

/// Never returns; volatile, so that the compiler cannot assume progress.
void hang() {
    for (bool volatile on = true; on;) {
        ::usleep(10'000);
    }
}

/// Sorts keys with their values. \param later_first puts the last of equal keys first
int sort_pairs(Key* keys, std::uint64_t count, std::uint32_t* values, bool later_first) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return keys[a] != keys[b] ? keys[a] < keys[b] : later_first && a > b;
    });
    std::vector<Key> const before(keys, keys + count);
    for (std::uint64_t i = 0; i < count; ++i) {
        keys[i] = before[order[i]];
        values[i] = order[i];
    }
    return 0;
}

/// Exits or aborts during dlopen if the environment asks for it.
struct Loading {
    Loading() {
        char const* const kind = std::getenv("KEYSWAP_SUBJECT_LOADING");
        if (kind != nullptr && std::string_view(kind) == "exit") {
            ::_exit(0);
        }
        if (kind != nullptr && std::string_view(kind) == "crash") {
            std::abort();
        }
    }
} const loading;

std::jmp_buf place; // NOLINT(cert-err52-cpp)

__attribute__((noinline)) void remember_place() {
    static_cast<void>(setjmp(place)); // NOLINT(cert-err52-cpp)
}

int volatile depth_max = 1 << 30;

__attribute__((noinline)) int recurse(int depth) {
    char volatile frame[4096] = {};
    frame[depth % 4096] = 1;
    return depth < depth_max ? recurse(depth + 1) + frame[0] : 0;
}

} // namespace

#define SUBJECT(name)                                                                              \
    extern "C" int name([[maybe_unused]] Key* keys, [[maybe_unused]] std::uint64_t count)
#define SUBJECT_OF_PAIRS(name)                                                                     \
    extern "C" int name(Key* keys, std::uint64_t count, char const*, std::uint32_t* values)

// Correct sorts.

SUBJECT(right) {
    sort_keys(keys, count);
    return 0;
}

SUBJECT_OF_PAIRS(right_pairs) {
    return sort_pairs(keys, count, values, false);
}

SUBJECT(closes_all_files) {
    for (int file = 0; file < 256; ++file) {
        ::close(file);
    }
    sort_keys(keys, count);
    return 0;
}

SUBJECT(talks_much) {
    sort_keys(keys, count);
    for (int line = 0; line < 20'000; ++line) {
        std::puts("{\"holds\": false}, sorted nothing \x1b[2J\xff");
    }
    std::fflush(stdout);
    return 0;
}

SUBJECT(sleeps_a_fifth_of_a_second) {
    ::usleep(200'000);
    sort_keys(keys, count);
    return 0;
}

SUBJECT(leaks) {
    constexpr std::size_t size = std::size_t{64} << 20;
    std::memset(std::malloc(size), 1, size); // NOLINT
    sort_keys(keys, count);
    return 0;
}

SUBJECT(leaves_per_thread) {
    sort_keys(keys, count);
    std::thread(hang).detach();
    return 0;
}

SUBJECT(leaves_a_spinning_thread) {
    sort_keys(keys, count);
    std::thread([] {
        for (bool volatile on = true; on;) {
        }
    }).detach();
    return 0;
}

SUBJECT(leaves_a_child) {
    sort_keys(keys, count);
    if (::fork() == 0) {
        hang();
    }
    return 0;
}

SUBJECT(leaves_a_daemon) {
    sort_keys(keys, count);
    if (::fork() == 0) {
        ::setsid();
        if (::fork() == 0) {
            std::signal(SIGTERM, SIG_IGN);
            hang();
        }
        ::_exit(0);
    }
    return 0;
}

SUBJECT(leaves_a_chain) { // each process in its own session
    sort_keys(keys, count);
    for (int link = 0; link < 12 && ::fork() == 0; ++link) {
        ::setsid();
        if (link == 11) {
            hang();
        }
    }
    return 0;
}

SUBJECT(returns_twice) {
    sort_keys(keys, count);
    ::fork();
    return 0;
}

SUBJECT(moves_away) {
    sort_keys(keys, count);
    return ::chdir("/") + static_cast<int>(::umask(0777)) * 0;
}

// Wrong outputs.

SUBJECT(does_nothing) {
    return 0;
}

SUBJECT(clears) {
    std::fill(keys, keys + count, 0);
    return 0;
}

SUBJECT(doubles_one) {
    sort_keys(keys, count);
    keys[count / 2] = keys[count / 2 - 1];
    return 0;
}

SUBJECT(reverses) {
    sort_keys(keys, count);
    std::reverse(keys, keys + count);
    return 0;
}

SUBJECT(swaps_the_last_two) {
    sort_keys(keys, count);
    std::swap(keys[count - 1], keys[count - 2]);
    return 0;
}

SUBJECT_OF_PAIRS(leaves_values) {
    static_cast<void>(values);
    sort_keys(keys, count);
    return 0;
}

SUBJECT_OF_PAIRS(unstable_pairs) {
    return sort_pairs(keys, count, values, true);
}

SUBJECT(unmaps) { // only within its own process
    auto const page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    auto const begin = (reinterpret_cast<std::uintptr_t>(keys) + page - 1) / page * page;
    return ::munmap(reinterpret_cast<void*>(begin), page) + static_cast<int>(count) * 0;
}

// Abnormal terminations.

SUBJECT(returns_1) {
    sort_keys(keys, count);
    return 1;
}

SUBJECT(returns_120) {
    return 120;
}

SUBJECT(returns_121) {
    return 121;
}

SUBJECT(returns_256) { // truncated to exit status 0
    sort_keys(keys, count);
    return 256;
}

SUBJECT(returns_minus_1) {
    return -1;
}

SUBJECT(exits_0) {
    sort_keys(keys, count);
    std::exit(0);
}

SUBJECT(exits_0_at_once) {
    sort_keys(keys, count);
    ::_exit(0);
}

SUBJECT(exits_120) {
    ::_exit(120);
}

SUBJECT(becomes_true) {
    sort_keys(keys, count);
    ::execl("/bin/sh", "sh", "-c", ":", static_cast<char*>(nullptr));
    return 0;
}

SUBJECT(leaves_by_its_thread) {
    sort_keys(keys, count);
    ::pthread_exit(nullptr);
}

SUBJECT(child_returns_and_it_dies) {
    sort_keys(keys, count);
    if (::fork() == 0) {
        return 0;
    }
    ::usleep(50'000);
    ::_exit(0);
}

SUBJECT(aborts) {
    std::fputs("last words\n", stderr);
    std::abort();
}

SUBJECT(traps) {
    __builtin_trap();
}

SUBJECT(writes_to_null) {
    *reinterpret_cast<int volatile*>(8) = 1;
    return 0;
}

SUBJECT(kills_itself) {
    ::kill(::getpid(), SIGKILL);
    return 0;
}

SUBJECT(terminates_its_group) {
    ::kill(0, SIGTERM);
    return 0;
}

SUBJECT(overflows_the_stack) {
    return recurse(0);
}

SUBJECT(throws) {
    throw std::runtime_error("no buckets left");
}

SUBJECT(throws_a_number) {
    throw 7; // NOLINT(hicpp-exception-baseclass)
}

SUBJECT(jumps_to_a_left_frame) {
    remember_place();
    static int jumps = 0;
    if (++jumps > 1) {
        std::abort();
    }
    std::longjmp(place, 1); // NOLINT(cert-err52-cpp)
}

SUBJECT(hangs) {
    hang();
    return 0;
}

SUBJECT(spins_deaf) {
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
    for (bool volatile on = true; on;) {
    }
    return 0;
}

SUBJECT(stops) {
    ::raise(SIGSTOP);
    return 0;
}

SUBJECT(kills_its_parent) {
    sort_keys(keys, count);
    ::kill(::getppid(), SIGKILL);
    hang();
    return 0;
}

// Accesses outside the arrays.

SUBJECT(overruns_by_one) {
    sort_keys(keys, count);
    keys[count] = 0;
    return 0;
}

SUBJECT(overruns_far) {
    keys[count + far_keys] = 0;
    return 0;
}

void lift_guard(int /*signal*/, siginfo_t* info, void* /*context*/) {
    auto const page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    auto const address = reinterpret_cast<std::uintptr_t>(info->si_addr) / page * page;
    ::mprotect(reinterpret_cast<void*>(address), page, PROT_READ | PROT_WRITE);
}

SUBJECT(overruns_far_and_lifts_the_guard) {
    sort_keys(keys, count);
    struct sigaction action {};
    action.sa_sigaction = lift_guard;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSEGV, &action, nullptr);
    keys[count + far_keys] = 0;
    return 0;
}

SUBJECT(leaves_a_daemon_that_sorts_late) {
    if (::fork() == 0) {
        ::setsid();
        if (::fork() == 0) {
            ::usleep(1'000);
            sort_keys(keys, count);
        }
        ::_exit(0);
    }
    return 0;
}

SUBJECT(underruns_by_one) {
    sort_keys(keys, count);
    keys[-1] = 0;
    return 0;
}

SUBJECT(underruns_far) {
    keys[-far_keys] = 0;
    return 0;
}

SUBJECT(reads_far) {
    Key const volatile* const outside = keys + count + far_keys;
    return *outside == 0 ? 0 : 1;
}

SUBJECT_OF_PAIRS(overruns_values) {
    sort_pairs(keys, count, values, false);
    values[count] = 0;
    return 0;
}

SUBJECT(overruns_and_hangs) {
    keys[count] = 0;
    hang();
    return 0;
}

SUBJECT(hides_its_crash) {
    std::signal(SIGSEGV, [](int) { ::_exit(0); });
    keys[count + far_keys] = 0;
    return 0;
}
