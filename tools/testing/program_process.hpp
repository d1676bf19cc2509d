#pragma once

/// \file For tests: runs the program in a process, and finds the processes that it leaves behind.

#include "traces/testing/temporary_folder.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace keyswap::testing {

/// A running `keyswap`; a mark in its environment identifies it and all its descendants.
class ProgramProcess {
  public:
    /// \param folder for its output, and part of the mark, so it must be unique
    /// \param environment additional variables, "NAME=value"
    ProgramProcess(std::filesystem::path folder,
                   std::vector<std::string> const& arguments,
                   std::vector<std::string> const& environment = {},
                   std::optional<rlim_t> file_size_max = std::nullopt)
        : folder_(std::move(folder)) {
        id_ = ::fork();
        if (id_ == 0) {
            become_program(arguments, environment, file_size_max);
        }
    }
    ProgramProcess(ProgramProcess const&) = delete;
    ProgramProcess& operator=(ProgramProcess const&) = delete;
    ~ProgramProcess() {
        if (!status_) {
            ::kill(id_, SIGKILL);
            ::waitpid(id_, nullptr, 0);
        }
        for (std::string const& process : processes()) { // also after a failed test
            ::kill(static_cast<pid_t>(std::stol(process)), SIGKILL);
        }
    }

    [[nodiscard]] pid_t id() const { return id_; }
    void signal(int number) const { ::kill(id_, number); }

    /// Waits for its end. \return status from waitpid(); nullopt on timeout
    std::optional<int> wait(std::chrono::seconds patience) {
        auto const deadline = std::chrono::steady_clock::now() + patience;
        while (!status_ && std::chrono::steady_clock::now() < deadline) {
            int status = 0;
            if (::waitpid(id_, &status, WNOHANG) == id_) {
                status_ = status;
                break;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return status_;
    }

    [[nodiscard]] std::string output() const { return text_of(folder_ / "stdout"); }
    [[nodiscard]] std::string errors() const { return text_of(folder_ / "stderr"); }

    /// Marked processes, as "pid name": the program and its descendants.
    [[nodiscard]] std::vector<std::string> processes() const {
        std::vector<std::string> found;
        for (auto const& entry : std::filesystem::directory_iterator("/proc")) {
            std::string const pid = entry.path().filename().string();
            if (pid.find_first_not_of("0123456789") == std::string::npos &&
                (text_of(entry.path() / "environ") + text_of(entry.path() / "cmdline"))
                        .find(mark()) != std::string::npos) {
                found.push_back(pid + " " + text_of(entry.path() / "comm"));
            }
        }
        return found;
    }

    /// Waits until no marked process exists. \return those left at the timeout
    [[nodiscard]] std::vector<std::string> processes_left(std::chrono::seconds patience) const {
        auto const deadline = std::chrono::steady_clock::now() + patience;
        std::vector<std::string> left = processes();
        while (!left.empty() && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            left = processes();
        }
        return left;
    }

  private:
    [[nodiscard]] std::string mark() const { return "KEYSWAP_MARK=" + folder_.string() + ";"; }

    [[noreturn]] void become_program(std::vector<std::string> const& arguments,
                                     std::vector<std::string> const& environment,
                                     std::optional<rlim_t> file_size_max) const {
        constexpr mode_t mode = 0644;
        int const output = ::open((folder_ / "stdout").c_str(), O_WRONLY | O_CREAT | O_TRUNC, mode);
        int const errors = ::open((folder_ / "stderr").c_str(), O_WRONLY | O_CREAT | O_TRUNC, mode);
        ::dup2(output, STDOUT_FILENO);
        ::dup2(errors, STDERR_FILENO);
        if (file_size_max) {
            rlimit const limit{*file_size_max, *file_size_max};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            ::signal(SIGXFSZ, SIG_IGN); // writes fail instead
        }
        std::vector<std::string> variables = environment;
        variables.emplace_back("COLUMNS=1000000"); // prevents line breaks
        variables.push_back(mark());
        for (std::string& variable : variables) {
            ::putenv(variable.data());
        }
        std::vector<std::string> words{KEYSWAP_PROGRAM};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> pointers;
        pointers.reserve(words.size() + 1);
        for (std::string& word : words) {
            pointers.push_back(word.data());
        }
        pointers.push_back(nullptr);
        ::execv(KEYSWAP_PROGRAM, pointers.data());
        ::_exit(99);
    }

    std::filesystem::path folder_;
    pid_t id_ = -1;
    std::optional<int> status_;
};

} // namespace keyswap::testing
