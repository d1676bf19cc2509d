/// \file Runs commands of the program in the caller's process.

#include "tools/c/boundary.hpp"
#include "tools/commands/command_line.hpp"
#include "traces/errors/interruption.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

struct keyswap_request {
    std::vector<std::string> words; ///< arguments of the command line, without the program's name
};

namespace keyswap::c {

namespace {

/// Commands whose whole result is a JSON document; others print text or run programs.
constexpr std::array<std::string_view, 11> commands{"simulate",
                                                    "whatif",
                                                    "verify",
                                                    "report",
                                                    "topology list",
                                                    "topology show",
                                                    "check",
                                                    "plan",
                                                    "validate",
                                                    "algorithms",
                                                    "distributions"};

Expected<void> new_request(char const* command, keyswap_request** request) {
    KEYSWAP_RETURN_IF_ERROR(
        needs(command, "command").and_then([&] { return needs(request, "request"); }));
    if (std::ranges::find(commands, std::string_view(command)) == commands.end()) {
        return KnownNames(commands).not_known("command", command);
    }
    auto made = std::make_unique<keyswap_request>();
    std::string const words = command;
    std::size_t const space = words.find(' ');
    made->words.push_back(words.substr(0, space));
    if (space != std::string::npos) {
        made->words.push_back(words.substr(space + 1));
    }
    made->words.emplace_back("--json"); // first: it is not taken for the value of another option
    *request = made.release();
    return {};
}

/// Refuses "-", because standard input and output belong to the caller.
Expected<void> is_no_stream(std::string const& option, char const* value) {
    return std::string_view(value) != "-"
               ? Expected<void>()
               : input_error(option,
                             "is '-', but standard input and output belong to your program",
                             "name a file");
}

Expected<void> add_option(keyswap_request* request, char const* name, char const* value) {
    KEYSWAP_RETURN_IF_ERROR(
        needs(request, "request").and_then([&] { return needs(name, "name"); }));
    std::string const option = "--" + std::string(name);
    if (value == nullptr) {
        request->words.push_back(option);
        return {};
    }
    KEYSWAP_RETURN_IF_ERROR(is_no_stream(option, value));
    request->words.push_back(option + "=" + value); // "=": the value may begin with a dash
    return {};
}

Expected<void> add_file(keyswap_request* request, char const* path) {
    KEYSWAP_RETURN_IF_ERROR(
        needs(request, "request").and_then([&] { return needs(path, "path"); }));
    KEYSWAP_RETURN_IF_ERROR(is_no_stream("path", path));
    bool const looks_like_an_option = path[0] == '-';
    request->words.push_back((looks_like_an_option ? "./" : "") + std::string(path));
    return {};
}

Expected<void> run_request(keyswap_request const* request,
                           keyswap_progress call,
                           void* data,
                           keyswap_result** result) {
    static std::mutex one_at_a_time; // commands use process-wide state
    KEYSWAP_RETURN_IF_ERROR(
        needs(request, "request").and_then([&] { return needs(result, "result"); }));
    ProgressCall progress(call, data);
    constexpr std::uint32_t calls_per_clock_read = 64; // limits reads of the clock
    std::uint32_t calls = 0;
    InterruptionPoll const poll(
        [&] { return ++calls % calls_per_clock_read == 0 && progress.wants_end(); });
    std::scoped_lock const lock(one_at_a_time);
    KEYSWAP_TRY(auto const answer, tools::call_command(request->words));
    if (answer.code == tools::ExitCode::could_not_run) {
        return input_error("the command", "could not run", answer.remarks);
    }
    give(result, answer.code == tools::ExitCode::fine, answer.remarks, answer.document);
    return {};
}

} // namespace

} // namespace keyswap::c

keyswap_error* keyswap_request_new(char const* command, keyswap_request** request) {
    return keyswap::c::guarded([&] { return keyswap::c::new_request(command, request); });
}

keyswap_error*
keyswap_request_option(keyswap_request* request, char const* name, char const* value) {
    return keyswap::c::guarded([&] { return keyswap::c::add_option(request, name, value); });
}

keyswap_error* keyswap_request_file(keyswap_request* request, char const* path) {
    return keyswap::c::guarded([&] { return keyswap::c::add_file(request, path); });
}

keyswap_error* keyswap_request_run(keyswap_request const* request,
                                   keyswap_progress progress,
                                   void* progress_data,
                                   keyswap_result** result) {
    return keyswap::c::guarded(
        [&] { return keyswap::c::run_request(request, progress, progress_data, result); });
}

void keyswap_request_free(keyswap_request* request) {
    std::unique_ptr<keyswap_request> const owned(request);
}
