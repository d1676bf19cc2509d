#include "tools/commands/help/completion.hpp"

#include "tools/commands/command_line.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

namespace keyswap::tools {
namespace {

using WordSet = std::set<std::string>;

/// Nested commands, and descriptions with quotes.
CommandInfo nested_words() {
    OptionInfo const file{{"--file", "-f"}, "", "FILE", "", "The user's file", true};
    OptionInfo const json{{"--json"}, "", "", "", "As 'JSON'", false};
    CommandInfo const show{{"keyswap", "topology", "show"}, "Show one", {file, json}, {}};
    CommandInfo const topology{{"keyswap", "topology"}, "Machines: known ones", {}, {show}};
    OptionInfo const order{{"--order"}, "", "TEXT", "", "Which", false, {"total", "equal"}, false};
    CommandInfo const sort{{"keyswap", "sort"}, "Sort", {json, order}, {}};
    return {{"keyswap"}, "Plan", {{{"--help"}, "", "", "", "Help", false}}, {sort, topology}};
}

/// Runs the shells themselves to get their suggestions for a command line.
class Completion : public ::testing::TestWithParam<Shell> {
  protected:
    static std::string shell() {
        constexpr std::array names{"bash", "zsh", "fish"};
        return names[static_cast<std::size_t>(GetParam())];
    }
    static bool has_shell() {
        return std::system(("command -v " + shell() + " >/dev/null").c_str()) == 0;
    }
    void use(CommandInfo const& program) const {
        testing::put_text(folder_ / "script", completion_script(program, GetParam()));
    }
    /// \param before complete words \param begun the incomplete word
    [[nodiscard]] WordSet offered(std::string const& before, std::string const& begun) const {
        std::string const script = (folder_ / "script").string();
        switch (GetParam()) {
        case Shell::bash:
            return lines_of("source " + script + "; COMP_WORDS=(" + before + " '" + begun +
                            "'); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _keyswap; "
                            "printf '%s\\n' \"${COMPREPLY[@]}\"");
        case Shell::zsh:
            // Input of zsh's completion system, which filters by the incomplete word.
            return beginning_with(
                begun,
                lines_of("_describe() { local w; for w in \"${(P@)@[-1]}\"; do print -r -- "
                         "\"${w%%:*}\"; done }; _files() { print -r -- FILES }; words=(" +
                         before + " '" + begun + "'); CURRENT=$#words; run() { source " + script +
                         " }; run"));
        case Shell::fish:
            break;
        }
        return lines_of("source " + script + "; complete -C '" + before + " " + begun +
                        "' | string split -f1 \\t");
    }

  private:
    static WordSet beginning_with(std::string const& begun, WordSet const& words) {
        WordSet found;
        for (std::string const& word : words) {
            if (word == "FILES" || word.starts_with(begun)) {
                found.insert(word);
            }
        }
        return found;
    }
    /// Nonempty lines printed by a program in the shell's language.
    [[nodiscard]] WordSet lines_of(std::string const& program) const {
        testing::put_text(folder_ / "program", program + '\n');
        std::string const command = "cd " + folder_.path().string() +
                                    " && HOME=" + folder_.path().string() + " " + shell() +
                                    " program 2>&1";
        WordSet lines;
        std::FILE* const pipe = ::popen(command.c_str(), "r");
        std::string text;
        for (int letter = std::fgetc(pipe); letter != EOF; letter = std::fgetc(pipe)) {
            text += static_cast<char>(letter);
        }
        ::pclose(pipe);
        for (std::size_t begin = 0; begin < text.size();) {
            auto const end = std::min(text.find('\n', begin), text.size());
            if (end > begin) {
                lines.insert(text.substr(begin, end - begin));
            }
            begin = end + 1;
        }
        return lines;
    }

    testing::TemporaryFolder folder_;
};

TEST_P(Completion, OffersCommandsAndOptionsOfTheCommandThatWasReached) {
    if (!has_shell()) {
        GTEST_SKIP() << "skipped because there is no " << shell();
    }
    use(nested_words());
    EXPECT_EQ(offered("keyswap", "so"), WordSet{"sort"});
    EXPECT_EQ(offered("keyswap", "t"), WordSet{"topology"});
    EXPECT_EQ(offered("keyswap", "--"), WordSet{"--help"});
    EXPECT_EQ(offered("keyswap topology", "sh"), WordSet{"show"});
    EXPECT_EQ(offered("keyswap topology show", "--"), (WordSet{"--file", "--json"}));
    EXPECT_EQ(offered("keyswap sort", "--"), (WordSet{"--json", "--order"}));
}

TEST_P(Completion, OffersFilesWhereAValueStands) {
    if (!has_shell()) {
        GTEST_SKIP() << "skipped because there is no " << shell();
    }
    use(nested_words());
    // bash completes file names if a completion function suggests nothing.
    WordSet const expected = GetParam() == Shell::bash  ? WordSet{}
                             : GetParam() == Shell::zsh ? WordSet{"FILES"}
                                                        : WordSet{"script"};
    EXPECT_EQ(offered("keyswap topology show --file", "scr"), expected);
}

TEST_P(Completion, OffersTheValuesThatAreKnown) {
    if (!has_shell()) {
        GTEST_SKIP() << "skipped because there is no " << shell();
    }
    use(nested_words());
    EXPECT_EQ(offered("keyswap sort --order", ""), (WordSet{"total", "equal"}));
    EXPECT_EQ(offered("keyswap sort --order", "e"), WordSet{"equal"});
    use(program_words());
    EXPECT_EQ(offered("keyswap plan --direction", "d"), WordSet{"descending"});
    EXPECT_EQ(offered("keyswap check --value-bits", ""), (WordSet{"32", "64"}));
    EXPECT_TRUE(offered("keyswap simulate --platform", "dgx").contains("dgx-a100"));
    EXPECT_EQ(offered("keyswap sort --backend", ""), (WordSet{"reference", "cpu", "cuda"}));
    EXPECT_EQ(offered("keyswap bench --backend", ""), (WordSet{"cpu", "cuda"}));
}

TEST_P(Completion, KnowsEveryCommandOfTheProgram) {
    if (!has_shell()) {
        GTEST_SKIP() << "skipped because there is no " << shell();
    }
    CommandInfo const program = program_words();
    use(program);
    WordSet commands;
    for (CommandInfo const& command : program.commands) {
        commands.insert(command.name());
    }
    WordSet const offers = offered("keyswap", "");
    for (std::string const& name : commands) {
        EXPECT_TRUE(offers.contains(name)) << name;
    }
    for (CommandInfo const& command : program.commands) {
        WordSet options;
        for (OptionInfo const& option : command.options) {
            for (std::string const& name : option.names) {
                if (name.starts_with("--")) {
                    options.insert(name);
                }
            }
        }
        EXPECT_EQ(offered(command.full_name(), "--"), options) << command.full_name();
    }
}

std::string test_name(::testing::TestParamInfo<Shell> const& shell) {
    constexpr std::array names{"Bash", "Zsh", "Fish"};
    return names[static_cast<std::size_t>(shell.param)];
}

INSTANTIATE_TEST_SUITE_P(InEveryShell,
                         Completion,
                         ::testing::Values(Shell::bash, Shell::zsh, Shell::fish),
                         test_name);

TEST(CompletionShell, RefusesAnUnknownOne) {
    auto const shell = parse_shell("tcsh");
    ASSERT_FALSE(shell.has_value());
    EXPECT_NE(shell.error().message().find("bash, zsh, fish"), std::string::npos);
}

} // namespace
} // namespace keyswap::tools
