#include "tools/record/third_party_call.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <dlfcn.h>
#include <exception>
#include <string>
#include <string_view>
#include <ucontext.h>
#include <unistd.h>

namespace keyswap::conformance {

namespace {

using Stage = CallReport::Stage;
using Access = CallReport::Access;

void note(CallReport& report, Stage stage, std::string_view message) {
    report.stage = stage;
    std::size_t const size = std::min(message.size(), report.message.size() - 1);
    std::copy_n(message.begin(), size, report.message.begin());
    report.message[size] = '\0';
}

/// Globals for the signal handler, which has no context argument.
ThirdPartyMemory const* called_memory = nullptr;
CallReport* call_report = nullptr;

Access access_of(void const* context) {
#if defined(__x86_64__)
    constexpr greg_t write_bit = 2; // of the page fault's error code
    auto const& registers = static_cast<ucontext_t const*>(context)->uc_mcontext.gregs;
    return (registers[REG_ERR] & write_bit) != 0 ? Access::write : Access::read;
#else
    static_cast<void>(context);
    return Access::unknown;
#endif
}

/// Records the cause of a fatal out-of-bounds access. The signal's default action is restored and
/// takes effect after the return.
void on_fault(int signal, siginfo_t* info, void* context) {
    auto const address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (GuardedMemory const* memory : {&called_memory->keys, &called_memory->values}) {
        if (auto const side = memory->guard_at(address); side && info->si_code > 0) {
            call_report->guard_access = access_of(context);
            call_report->guard_side = *side;
            call_report->guard_of_values = memory == &called_memory->values;
        }
    }
    ::raise(signal);
}

/// Also replaces the handlers of our own sanitizers, which would turn a crash into an exit
/// status.
void watch_faults(ThirdPartyMemory const& memory, CallReport& report) {
    called_memory = &memory;
    call_report = &report;
    constexpr std::size_t stack_bytes = 64 * 1024;
    alignas(16) static std::array<std::byte, stack_bytes> stack; // the regular one may be full
    stack_t const alternate{stack.data(), 0, stack.size()};
    ::sigaltstack(&alternate, nullptr);
    for (int const signal : {SIGFPE, SIGILL, SIGABRT}) {
        ::signal(signal, SIG_DFL);
    }
    for (int const signal : {SIGSEGV, SIGBUS}) {
        struct sigaction action {};
        action.sa_sigaction = on_fault;
        action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
        ::sigaction(signal, &action, nullptr);
    }
}

int call(ThirdPartyFunction sort, ThirdPartyMemory const& memory, CallReport& report) {
    std::string const type(to_string(memory.key_type));
    void* const values = memory.value_bytes == 0 ? nullptr : memory.values.bytes().data();
    pid_t const self = ::getpid();
    report.stage = Stage::calling;
    auto const begin = std::chrono::steady_clock::now();
    int const result = sort(
        memory.keys.bytes().data(), memory.key_count, type.c_str(), values, memory.value_bytes);
    auto const end = std::chrono::steady_clock::now();
    if (::getpid() == self) { // false in a child forked by the function
        report.result = result;
        report.duration_ns = std::chrono::nanoseconds(end - begin).count();
        report.stage = Stage::returned;
        report.keys_hash = memory.keys.content_hash();
        report.values_hash = memory.values.content_hash();
        report.hashed = true;
    }
    return 0;
}

} // namespace

int call_third_party_function(std::filesystem::path const& library,
                              std::string const& function,
                              ThirdPartyMemory const& memory,
                              CallReport& report) noexcept {
    // dlopen() searches a name without a slash in the system's folders.
    std::filesystem::path const path =
        library.has_parent_path() ? library : std::filesystem::path(".") / library;
    void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        note(report, Stage::no_library, ::dlerror());
        return 1;
    }
    void* const symbol = ::dlsym(handle, function.c_str());
    if (symbol == nullptr) {
        note(report, Stage::no_function, "it has no function " + function);
        return 1;
    }
    watch_faults(memory, report);
    try {
        return call(reinterpret_cast<ThirdPartyFunction>(symbol), memory, report);
    } catch (std::exception const& error) {
        note(report, Stage::threw, error.what());
    } catch (...) {
        note(report, Stage::threw, "something that is not a std::exception");
    }
    return 1;
}

} // namespace keyswap::conformance
