#include "tools/options/standard_input.hpp"

#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/pipe_copy.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace keyswap::tools {

namespace {

using UnnamedFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// Replacement of "-" in this run of the program; empty until first requested.
struct StandardInput {
    UnnamedFile copy{nullptr, &std::fclose};
    std::string path;
};

StandardInput& standard_input() {
    static StandardInput input;
    return input;
}

/// A path that reopens a descriptor's file at its beginning.
std::string path_of(int descriptor) {
    return "/proc/self/fd/" + std::to_string(descriptor);
}

bool copy_all(int from, std::FILE* to) {
    std::array<char, std::size_t{1} << 16> block{};
    for (;;) {
        ssize_t const count = ::read(from, block.data(), block.size());
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return count == 0 && std::fflush(to) == 0;
        }
        auto const bytes = static_cast<std::size_t>(count);
        if (std::fwrite(block.data(), 1, bytes, to) != bytes) {
            return false;
        }
    }
}

} // namespace

bool is_standard_input(std::string const& path) {
    return path == "-" || path == "/dev/stdin" || path == "/dev/fd/0" || path == "/proc/self/fd/0";
}

Expected<std::string> readable_path(std::string const& path) {
    StandardInput& input = standard_input();
    if (!is_standard_input(path)) {
        return path;
    }
    if (!input.path.empty()) {
        return input.path;
    }
    struct stat status {};
    if (::fstat(STDIN_FILENO, &status) != 0) { // else the next opened file would be copied
        return input_error("standard input", "is closed", "pipe something in, or name a file");
    }
    if (S_ISREG(status.st_mode)) {
        input.path = path_of(STDIN_FILENO);
        return input.path;
    }
    KEYSWAP_RETURN_IF_ERROR(expect_end(path_of(STDIN_FILENO), "standard input"));
    input.copy.reset(std::tmpfile());
    if (!input.copy || !copy_all(STDIN_FILENO, input.copy.get())) {
        return input_error(
            "standard input",
            "cannot be copied: " + std::string(std::strerror(errno)),
            "pipe something in, and check whether the folder for temporary files is full");
    }
    input.path = path_of(::fileno(input.copy.get()));
    return input.path;
}

Expected<std::vector<std::string>> readable_paths(std::vector<std::string> const& paths) {
    std::vector<std::string> readable;
    for (std::string const& path : paths) {
        KEYSWAP_TRY(auto const one, readable_path(path));
        readable.push_back(one);
    }
    return readable;
}

std::string display_name(std::string const& path) {
    return is_standard_input(path) ? "standard input" : printable_text(path);
}

std::string replace_standard_input_path(std::string message) {
    std::string const& path = standard_input().path;
    for (std::size_t at = path.empty() ? std::string::npos : message.find(path);
         at != std::string::npos;
         at = message.find(path, at)) {
        message.replace(at, path.size(), "standard input");
    }
    return message;
}

void forget_standard_input() {
    standard_input() = StandardInput{};
    forget_pipes();
}

} // namespace keyswap::tools
