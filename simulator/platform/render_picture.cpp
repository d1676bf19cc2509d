#include "simulator/platform/render_picture.hpp"

#include "traces/errors/error_subject.hpp"
#include "traces/errors/try.hpp"

#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace keyswap::simulator {

namespace {

/// Unnamed temporary file, deleted on close. Used instead of a pipe because dot may exit before it
/// has read all its input, and SIGPIPE would then end this program.
using UnnamedFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

UnnamedFile unnamed_file() {
    return {std::tmpfile(), &std::fclose};
}

/// \return wait status of dot as waitpid reports it; nullopt if dot could not be started
std::optional<int> run_dot(PictureFormat format, std::FILE* input, std::FILE* output) {
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ::fileno(input), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ::fileno(output), STDOUT_FILENO);
    std::string program = "dot";
    std::string kind = format == PictureFormat::svg ? "-Tsvg" : "-Tpng";
    std::array<char*, 3> arguments{program.data(), kind.data(), nullptr};
    pid_t process = 0;
    int const failed =
        ::posix_spawnp(&process, program.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    if (failed != 0 || ::waitpid(process, &status, 0) != process) {
        return std::nullopt;
    }
    return status;
}

std::string all_of(std::FILE* file) {
    std::string text;
    std::array<char, std::size_t{1} << 16> block{};
    std::rewind(file);
    while (std::size_t const count = std::fread(block.data(), 1, block.size(), file)) {
        text.append(block.data(), count);
    }
    return text;
}

} // namespace

Expected<std::string> render_picture(std::string const& dot_text, PictureFormat format) {
    UnnamedFile const input = unnamed_file();
    UnnamedFile const output = unnamed_file();
    bool const given =
        input && output &&
        std::fwrite(dot_text.data(), 1, dot_text.size(), input.get()) == dot_text.size() &&
        std::fflush(input.get()) == 0;
    if (!given) {
        return input_error("temporary files",
                           "cannot be written, and Graphviz needs them",
                           "free some space in the folder for temporary files");
    }
    std::rewind(input.get());
    auto const status = run_dot(format, input.get(), output.get());
    if (!status || (WIFEXITED(*status) && WEXITSTATUS(*status) == 127)) {
        return input_error("dot",
                           "Graphviz, which draws the picture, is not installed",
                           "install the package graphviz, or write the text with " +
                               setting("dot"));
    }
    std::string picture = all_of(output.get());
    if (*status != 0 || picture.empty()) {
        return input_error("dot",
                           "Graphviz could not draw this",
                           "write the text with " + setting("dot") + " and look at it");
    }
    return picture;
}

} // namespace keyswap::simulator
