#include "tools/record/third_party_sort.hpp"

#include "tools/record/process/shared_value.hpp"
#include "tools/record/third_party_call.hpp"
#include "traces/errors/try.hpp"

#include <array>
#include <csignal>
#include <cstring>
#include <unistd.h>

namespace keyswap::conformance {

namespace {

using How = SupervisedEnd::How;
using Stage = CallReport::Stage;
using Access = CallReport::Access;

/// Exit statuses of a POSIX shell for a command it cannot run, or that a signal killed.
constexpr int command_not_executable = 126;
constexpr int command_not_found = 127;
constexpr int command_killed = 128;

std::string status_text(int status) {
    return "exit status " + std::to_string(status);
}

/// Outcome according to the supervisor alone.
ProcessResult outcome_of(SupervisedEnd const& end, std::chrono::milliseconds timeout) {
    ProcessResult outcome{
        ChildEnd::returned, {}, end.output_tail, end.left_running, end.duration, end.ended_at};
    switch (end.how) {
    case How::exited:
        break;
    case How::killed:
        outcome.end = ChildEnd::killed;
        outcome.detail = ::strsignal(end.value);
        break;
    case How::timed_out:
        outcome.end = ChildEnd::timed_out;
        outcome.detail = "after " + std::to_string(timeout.count()) + " ms";
        break;
    case How::interrupted:
        outcome.end = ChildEnd::interrupted;
        break;
    case How::unknown:
        outcome.end = ChildEnd::unknown;
        outcome.detail = "it ended or stopped the process that watches it";
        break;
    }
    if (!end.all_ended) {
        outcome.detail += outcome.detail.empty() ? "" : "; ";
        outcome.detail += "processes that it started could not be ended";
    }
    return outcome;
}

std::string outside_text(MemorySide side, bool of_values) {
    return std::string(side == MemorySide::after ? "past the end of the "
                                                 : "before the beginning of the ") +
           (of_values ? "values" : "keys");
}

std::string guard_text(CallReport const& report) {
    std::string const verb = report.guard_access == Access::write  ? "wrote "
                             : report.guard_access == Access::read ? "read "
                                                                   : "went ";
    return verb + outside_text(report.guard_side, report.guard_of_values) +
           ": the guard page was hit";
}

/// Describes a write next to the memory; empty if there was none.
std::string damage_text(ThirdPartyMemory const& memory) {
    if (auto const side = memory.keys.changed_side()) {
        return "wrote " + outside_text(*side, false);
    }
    auto const side = memory.values.changed_side();
    return side ? "wrote " + outside_text(*side, true) : "";
}

/// Refines the outcome of a process that exited by itself, by the stage of its call.
void refine_exit(ProcessResult& outcome,
                 int status,
                 CallReport const& report,
                 ThirdPartyMemory const& memory) {
    std::string const message(report.message.data());
    switch (report.stage) {
    case Stage::loading:
        outcome.end = ChildEnd::not_started;
        outcome.detail =
            "the library ended its process while it was loaded, " + status_text(status);
        break;
    case Stage::no_library:
        outcome.end = ChildEnd::not_started;
        outcome.detail = "the library cannot be loaded: " + message;
        break;
    case Stage::no_function:
        outcome.end = ChildEnd::not_started;
        outcome.detail = message;
        break;
    case Stage::calling:
        outcome.end = ChildEnd::exited;
        outcome.detail =
            "the function ended its process, " + status_text(status) + ", instead of returning";
        break;
    case Stage::returned:
        if (report.result != 0) {
            outcome.end = ChildEnd::refused;
            outcome.detail = "the function returned " + std::to_string(report.result);
        } else if (report.hashed && (report.keys_hash != memory.keys.content_hash() ||
                                     report.values_hash != memory.values.content_hash())) {
            outcome.end = ChildEnd::timed_out;
            outcome.detail = "the keys still changed after the function had returned";
        }
        break;
    case Stage::threw:
        outcome.end = ChildEnd::refused;
        outcome.detail = "the function threw: " + message;
        break;
    }
}

} // namespace

std::string_view to_string(ChildEnd end) {
    constexpr std::array<std::string_view, 9> names{"returned",
                                                    "refused",
                                                    "ended its process",
                                                    "killed by a signal",
                                                    "timed out",
                                                    "out of bounds",
                                                    "not started",
                                                    "interrupted",
                                                    "unknown"};
    return names[static_cast<std::size_t>(end)];
}

Expected<ProcessResult> run_library(std::filesystem::path const& library,
                                    std::string const& function,
                                    ThirdPartyMemory const& memory,
                                    std::chrono::milliseconds timeout,
                                    RemovedWithKeyswap const& removed) {
    KEYSWAP_TRY(auto const report, SharedValue<CallReport>::make());
    KEYSWAP_TRY(auto const end,
                run_supervised(
                    [&] { return call_third_party_function(library, function, memory, *report); },
                    timeout,
                    removed));
    ProcessResult outcome = outcome_of(end, timeout);
    CallReport const& call = *report;
    outcome.duration = std::chrono::nanoseconds(call.duration_ns);
    // A function that unmaps its memory makes the check crash after the return.
    bool const looked_in_vain =
        end.how == How::killed && call.stage == Stage::returned && !call.hashed;
    if (looked_in_vain) {
        outcome.end = ChildEnd::returned;
        outcome.detail.clear();
    }
    if (end.how == How::exited || looked_in_vain) {
        refine_exit(outcome, end.value, call, memory);
    } else if (end.how == How::killed && call.stage == Stage::loading) {
        outcome.end = ChildEnd::not_started;
        outcome.detail = "the library cannot be loaded: " + outcome.detail;
    } else if (end.how == How::killed && call.guard_access != Access::none) {
        outcome.end = ChildEnd::out_of_bounds;
        outcome.detail = guard_text(call);
        return outcome;
    }
    std::string const damage = damage_text(memory);
    if (!damage.empty() && outcome.end != ChildEnd::interrupted) {
        bool const alone = outcome.end == ChildEnd::returned;
        outcome.detail =
            damage +
            (alone ? "" : "; " + std::string(to_string(outcome.end)) + ", " + outcome.detail);
        outcome.end = ChildEnd::out_of_bounds;
    }
    return outcome;
}

Expected<ProcessResult> run_command(std::string const& command,
                                    std::chrono::milliseconds timeout,
                                    RemovedWithKeyswap const& removed) {
    KEYSWAP_TRY(auto const end,
                run_supervised(
                    [&command] {
                        ::execl(
                            "/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
                        return command_not_found;
                    },
                    timeout,
                    removed));
    ProcessResult outcome = outcome_of(end, timeout);
    if (end.how != How::exited || end.value == 0) {
        return outcome;
    }
    bool const not_run = end.value == command_not_found || end.value == command_not_executable;
    outcome.end = not_run ? ChildEnd::not_started : ChildEnd::refused;
    outcome.detail = status_text(end.value);
    if (not_run) {
        outcome.detail = "the command cannot be run: " + outcome.detail;
    } else if (char const* const signal =
                   end.value > command_killed && end.value < command_killed + SIGRTMAX
                       ? ::strsignal(end.value - command_killed)
                       : nullptr) {
        outcome.detail += ", as of a program that a signal killed: " + std::string(signal);
    }
    return outcome;
}

} // namespace keyswap::conformance
