#include "tools/commands/check/verify_certify.hpp"

#include "traces/errors/try.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace keyswap::tools {

namespace {

constexpr auto certifier_name = "keyswap-certify";

InputError certifier_error(std::string reason, std::string remedy) {
    return {"--certify", std::move(reason), std::move(remedy)};
}

/// Path in this program's folder if it exists there, else the name to search for on PATH.
std::string certifier_path() {
    std::error_code error;
    auto const program = std::filesystem::read_symlink("/proc/self/exe", error);
    auto const neighbour = program.parent_path() / certifier_name;
    return !error && std::filesystem::exists(neighbour, error) ? neighbour.string()
                                                               : certifier_name;
}

/// Output of the certifier, one line per trace.
Expected<std::string> certifier_output(std::vector<std::string> const& traces) {
    std::vector<std::string> words{certifier_path()};
    words.insert(words.end(), traces.begin(), traces.end());
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const output(std::tmpfile(), &std::fclose);
    if (!output) {
        return tl::unexpected(certifier_error("no temporary file can be made for its answer",
                                              "make room in the folder for temporary files"));
    }
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ::fileno(output.get()), STDOUT_FILENO);
    pid_t process = 0;
    int const failed = ::posix_spawnp(
        &process, words.front().c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    if (failed != 0 || ::waitpid(process, &status, 0) != process ||
        (WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
        return tl::unexpected(
            certifier_error("there is no keyswap-certify in this program's folder or on PATH, so "
                            "nothing is certified",
                            "run model/proofs/prove, which needs the Debian packages coq and "
                            "ocaml-nox, and copy what it builds there; or leave --certify out"));
    }
    std::string text;
    std::rewind(output.get());
    for (int c = std::fgetc(output.get()); c != EOF; c = std::fgetc(output.get())) {
        text += static_cast<char>(c);
    }
    return text;
}

} // namespace

Expected<std::vector<Certificate>> certify_traces(std::vector<std::string> const& traces) {
    KEYSWAP_TRY(std::string const text, certifier_output(traces));
    std::vector<Certificate> certificates;
    certificates.reserve(traces.size());
    std::string_view rest = text;
    for (std::string const& trace : traces) {
        std::string const begin = trace + ": ";
        auto const end = rest.find('\n');
        if (!rest.starts_with(begin) || end == std::string_view::npos) {
            return tl::unexpected(
                certifier_error("keyswap-certify ended without a verdict on " + trace,
                                "leave --certify out, or rebuild it"));
        }
        std::string_view const answer = rest.substr(begin.size(), end - begin.size());
        rest.remove_prefix(end + 1);
        constexpr std::string_view could_not = "could not run: ";
        constexpr std::string_view refused = "not certified: ";
        if (answer.starts_with(could_not)) {
            return input_error(trace,
                               "it cannot be certified: " +
                                   std::string(answer.substr(could_not.size())),
                               "leave --certify out, or give runs of rmg and sample-sort only");
        }
        certificates.push_back({trace, std::nullopt});
        if (answer.starts_with(refused)) {
            certificates.back().refused = answer.substr(refused.size());
        }
    }
    return certificates;
}

} // namespace keyswap::tools
