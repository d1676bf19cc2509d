#include "tools/commands/help/man_page.hpp"

#include "tools/commands/command_line.hpp"
#include "tools/testing/program_run.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace keyswap::tools {
namespace {

/// Options and commands with characters that are special in troff.
CommandInfo awkward_words() {
    CommandInfo words{{"keyswap"}, "Plan", {}, {}};
    words.commands.push_back({{"keyswap", "sort"}, "Sort", {}, {}});
    words.options.push_back({{"--back"}, "", "TEXT", "a\\b", ".hidden\n'lines' and \\fB", true});
    return words;
}

bool has_mandoc() {
    return std::system("command -v mandoc >/dev/null") == 0;
}

/// Exit status of mandoc's lint, with warnings as errors.
int lint_status(std::string const& page) {
    std::string name = (std::filesystem::temp_directory_path() / "keyswap-man-XXXXXX").string();
    ::close(::mkstemp(name.data()));
    std::ofstream(name) << page;
    int const status = std::system(("mandoc -T lint -W warning " + name).c_str());
    std::filesystem::remove(name);
    return status;
}

std::string with_dashes_escaped(std::string const& text) {
    std::string escaped;
    for (char const letter : text) {
        escaped += letter == '-' ? std::string("\\-") : std::string(1, letter);
    }
    return escaped;
}

constexpr PageEdition edition{"1.2.3", "2026-11-21"};

TEST(ManPage, OfTheProgramNamesEveryCommandAndItsPage) {
    CommandInfo const program = program_words();
    std::string const page = program_page(program, edition, examples());
    EXPECT_NE(page.find(".SH EXAMPLES\n.TP\n\\fBkeyswap sort keys.csv"), std::string::npos);
    ASSERT_GE(program.commands.size(), 5U);
    for (CommandInfo const& command : program.commands) {
        std::string const name = with_dashes_escaped(command.name());
        EXPECT_NE(page.find(".TP\n\\fB" + name + "\\fR\n"), std::string::npos) << command.name();
        EXPECT_NE(page.find(".BR keyswap\\-" + name + " (1)"), std::string::npos) << command.name();
    }
    EXPECT_NE(page.find("keyswap 1.2.3"), std::string::npos);
    EXPECT_NE(page.find(".PP\nExit status"), std::string::npos);
    EXPECT_LT(page.find(".SH EXAMPLES"), page.find("gpu\\-limit"));
}

TEST(ManPage, OfACommandHasItsOptionsAndThoseOfTheCommandsBelow) {
    CommandInfo const program = program_words();
    for (CommandInfo const& command : program.commands) {
        std::string const page = command_page(program, command, edition, examples());
        for (CommandInfo const* it : all_commands(command)) {
            if (it != &command) {
                EXPECT_NE(page.find(".SS \"" + with_dashes_escaped(it->full_name()) + "\""),
                          std::string::npos)
                    << it->full_name();
            }
            for (OptionInfo const& option : it->options) {
                std::string const name =
                    option.names.empty() ? option.argument : option.names.front();
                EXPECT_FALSE(option.description.empty()) << it->full_name() << ' ' << name;
                EXPECT_NE(page.find(with_dashes_escaped(name)), std::string::npos)
                    << it->full_name() << ' ' << name;
            }
        }
        EXPECT_LT(page.find(".SH OPTIONS"), page.find("gpu\\-limit")) << command.name();
    }
    ProgramRun const printed = run_line("man check");
    EXPECT_EQ(printed.code, ExitCode::fine);
    EXPECT_EQ(printed.output.find(".TH \"KEYSWAP\\-CHECK\" 1"), 0U) << printed.output;
    EXPECT_NE(run_line("man chekc").errors.find("did you mean 'check'?"), std::string::npos);
}

TEST(ManPage, IsFlawlessForMandoc) {
    if (!has_mandoc()) {
        GTEST_SKIP() << "skipped because there is no mandoc";
    }
    CommandInfo const program = program_words();
    EXPECT_EQ(lint_status(program_page(program, edition, examples())), 0);
    for (CommandInfo const& command : program.commands) {
        EXPECT_EQ(lint_status(command_page(program, command, edition, examples())), 0)
            << command.name();
    }
    EXPECT_EQ(lint_status(program_page(awkward_words(), edition, examples())), 0);
    EXPECT_NE(lint_status(".TH KEYSWAP 1\n.XX no macro\n"), 0) << "mandoc finds nothing at all";
}

TEST(ManPage, ShowsTextAsItWasWritten) {
    std::string const page = program_page(awkward_words(), edition, {});
    EXPECT_NE(page.find("\\fB\\-\\-back\\fR \\fITEXT\\fR"), std::string::npos) << page;
    EXPECT_NE(page.find("\\&.hidden\n\\&'lines' and \\efB"), std::string::npos) << page;
    EXPECT_NE(page.find("Default: a\\eb."), std::string::npos) << page;
    EXPECT_NE(page.find("Required."), std::string::npos) << page;
}

} // namespace
} // namespace keyswap::tools
