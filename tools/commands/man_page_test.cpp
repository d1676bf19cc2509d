#include "tools/commands/man_page.hpp"

#include "tools/commands/command_line.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace keyswap::tools {
namespace {

/// Options and commands as somebody might write them who knows nothing of troff.
CommandWords awkward_words() {
    CommandWords words{{"keyswap"}, "Plan.", {}, {}};
    words.options.push_back({{"--back"}, "", "TEXT", "a\\b", ".hidden\n'lines' and \\fB", true});
    return words;
}

bool has_mandoc() {
    return std::system("command -v mandoc >/dev/null") == 0;
}

/// Exit status of mandoc's own check, warnings included.
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

TEST(ManPage, TellsOfEveryCommandAndOption) {
    CommandWords const program = program_words();
    std::string const page =
        man_page(program, "1.2.3", "2026-11-21", "One remark.\nAnother.", examples());
    EXPECT_NE(page.find(".SH EXAMPLES\n.TP\n\\fBkeyswap sort keys.csv"), std::string::npos);
    ASSERT_GE(program.commands.size(), 5U);
    for (CommandWords const* command : all_commands(program)) {
        if (command != &program) {
            EXPECT_NE(page.find(".SS \"" + with_dashes_escaped(command->full_name()) + "\""),
                      std::string::npos)
                << command->full_name();
        }
        for (OptionWords const& option : command->options) {
            EXPECT_FALSE(option.description.empty())
                << command->full_name() << " has an option without a description: "
                << (option.names.empty() ? option.argument : option.names.front());
        }
    }
    EXPECT_NE(page.find("keyswap 1.2.3"), std::string::npos);
    EXPECT_NE(page.find(".PP\nAnother."), std::string::npos);
}

TEST(ManPage, IsFlawlessForMandoc) {
    if (!has_mandoc()) {
        GTEST_SKIP() << "skipped because there is no mandoc";
    }
    EXPECT_EQ(
        lint_status(man_page(program_words(), "1.2.3", "2026-11-21", "A remark.", examples())), 0);
    EXPECT_EQ(
        lint_status(man_page(awkward_words(), "1.2.3", "2026-11-21", "A remark.", examples())), 0);
    EXPECT_NE(lint_status(".TH KEYSWAP 1\n.XX no macro\n"), 0) << "mandoc finds nothing at all";
}

TEST(ManPage, ShowsTextAsItWasWritten) {
    std::string const page = man_page(awkward_words(), "1", "2026-11-21", "", {});
    EXPECT_NE(page.find("\\fB\\-\\-back\\fR \\fITEXT\\fR"), std::string::npos) << page;
    EXPECT_NE(page.find("\\&.hidden\n\\&'lines' and \\efB"), std::string::npos) << page;
    EXPECT_NE(page.find("Default: a\\eb."), std::string::npos) << page;
    EXPECT_NE(page.find("Required."), std::string::npos) << page;
}

} // namespace
} // namespace keyswap::tools
