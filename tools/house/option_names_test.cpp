// Messages, examples and documents name only existing options, so that every remedy can be
// followed.

#include "tools/commands/command_line.hpp"
#include "tools/commands/help/command_examples.hpp"
#include "tools/house/source_files.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace keyswap::tools {
namespace {

namespace fs = std::filesystem;

using Words = std::set<std::string>;

/// Options of other programs named in messages: nsys, SimGrid, mpirun.
Words const of_others{"--type",
                      "--log",
                      "--cfg",
                      "--query-gpu",
                      "--allow-run-as-root",
                      "--cuda-graph-trace",
                      "--long"};

/// Options by command: "topology show" -> {"--json", ...}; "" -> all options.
std::map<std::string, Words> options_by_command() {
    std::map<std::string, Words> options;
    CommandInfo const program = program_words();
    for (CommandInfo const* command : all_commands(program)) {
        std::string const name =
            command == &program ? "keyswap" : command->full_name().substr(sizeof "keyswap");
        for (OptionInfo const& option : command->options) {
            options[name].insert(option.names.begin(), option.names.end());
            options[""].insert(option.names.begin(), option.names.end());
        }
    }
    return options;
}

/// Options within a text, such as "--gpu-count".
std::vector<std::string> options_in(std::string const& text) {
    std::vector<std::string> found;
    for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at)) {
        bool const begins = at == 0 || (text[at - 1] != '-' && std::isalnum(text[at - 1]) == 0);
        std::size_t end = at + 2;
        while (end < text.size() &&
               (std::islower(text[end]) != 0 || std::isdigit(text[end]) != 0 || text[end] == '-')) {
            end += 1;
        }
        if (begins && end > at + 2 && text[at + 2] != '-') {
            found.push_back(text.substr(at, end - at));
        }
        at = end;
    }
    return found;
}

/// Contents of the string literals in a line of C++, without comments; settings as options.
std::string literals_of(std::string const& code) {
    std::string const line =
        std::regex_replace(code, std::regex(R"re(\bsetting\("([a-z-]+)")re"), "\"--$1\"");
    std::string text;
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (!quoted && line.compare(i, 2, "//") == 0) {
            break;
        }
        if (quoted && line[i] == '\\') {
            i += 1;
            continue;
        }
        if (line[i] == '"') {
            quoted = !quoted;
            text += ' ';
        } else if (quoted) {
            text += line[i];
        }
    }
    return text;
}

std::vector<std::string> lines_of(std::string const& text) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t const end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

/// Files of some folders with the given extensions, without build outputs and third-party code.
std::vector<fs::path> files_in(std::vector<std::string> const& folders, Words const& endings) {
    std::vector<fs::path> files;
    fs::path const root = KEYSWAP_SOURCE_DIR;
    for (std::string const& folder : folders) {
        std::ranges::copy_if(
            testing::source_files(root / folder),
            std::back_inserter(files),
            [&](fs::path const& file) { return endings.contains(file.extension().string()); });
    }
    return files;
}

TEST(OptionNames, EveryOptionThatAMessageNamesExists) {
    auto const known = options_by_command()[""];
    std::size_t seen = 0;
    // proptests/ has programs with options of their own.
    for (fs::path const& file :
         files_in({"tools", "simulator", "model", "traces"}, {".cpp", ".hpp"})) {
        bool const is_test = file.stem().string().ends_with("_test") ||
                             file.string().find("/testing/") != std::string::npos;
        if (is_test) {
            continue;
        }
        for (std::string const& line : lines_of(keyswap::testing::text_of(file))) {
            for (std::string const& option : options_in(literals_of(line))) {
                seen += 1;
                EXPECT_TRUE(known.contains(option) || of_others.contains(option))
                    << file << ": " << option << " is not an option of any command";
            }
        }
    }
    EXPECT_GT(seen, 100U);
}

/// Command lines of keyswap in a line of a document or script, from the command's name to the end
/// of the command.
std::vector<std::string> command_lines_in(std::string const& line) {
    std::vector<std::string> commands;
    for (std::string const start : {"keyswap ", "\"$keyswap\" "}) {
        for (std::size_t at = line.find(start); at != std::string::npos;
             at = line.find(start, at + 1)) {
            std::size_t const begin = at + start.size();
            commands.push_back(line.substr(begin, line.find_first_of("`|#)>&", begin) - begin));
        }
    }
    return commands;
}

/// Command at the beginning of `words`, "topology show"; empty if there is none.
std::string command_of(std::string const& words, std::map<std::string, Words> const& options) {
    std::size_t const first = std::min(words.find(' '), words.size());
    std::size_t const second = std::min(words.find(' ', first + 1), words.size());
    for (std::size_t const end : {second, first}) {
        if (options.contains(words.substr(0, end)) && end > 0) {
            return words.substr(0, end);
        }
    }
    return "";
}

TEST(OptionNames, EveryOptionThatADocumentNamesIsOfItsCommand) {
    auto const options = options_by_command();
    std::vector<fs::path> files = files_in(
        {"traces", "model", "simulator", "kernels", "proptests", "tools"}, {".md", ".mjs"});
    files.push_back(fs::path(KEYSWAP_SOURCE_DIR) / "README.md");
    files.push_back(fs::path(KEYSWAP_SOURCE_DIR) / "tools/quickstart");
    for (std::string const script : {"make-pictures", "record-runs", "gpu-test", "gpu-visit"}) {
        files.push_back(fs::path(KEYSWAP_SOURCE_DIR) / "tools/scripts" / script);
    }
    std::size_t seen = 0;
    for (fs::path const& file : files) {
        for (std::string const& line : lines_of(keyswap::testing::text_of(file))) {
            for (std::string const& words : command_lines_in(line)) {
                std::string const command = command_of(words, options);
                for (std::string const& option : options_in(command.empty() ? "" : words)) {
                    seen += 1;
                    EXPECT_TRUE(options.at(command).contains(option))
                        << file << ": '" << command << "' has no " << option << "\n  " << line;
                }
            }
        }
    }
    EXPECT_GT(seen, 20U);
}

/// Words of a command line, unquoted, up to the first shell operator.
std::vector<std::string> shell_words(std::string const& line) {
    std::vector<std::string> words;
    std::string word;
    bool begun = false;
    char quote = 0;
    for (char const letter : line + ' ') {
        if (quote != 0) {
            quote = letter == quote ? static_cast<char>(0) : quote;
            word += quote != 0 ? std::string(1, letter) : "";
        } else if (letter == '\'' || letter == '"') {
            quote = letter;
            begun = true;
        } else if (letter == '|' || letter == '>') {
            break;
        } else if (letter != ' ') {
            word += letter;
            begun = true;
        } else if (begun) {
            words.push_back(word);
            word.clear();
            begun = false;
        }
    }
    return words;
}

TEST(Examples, AreUnderstoodByTheProgram) {
    Words shown;
    Words lines;
    for (Example const& example : examples()) {
        std::string const line(example.line);
        EXPECT_TRUE(lines.insert(line).second) << line << " is shown twice";
        std::size_t const begin = line.find("keyswap ");
        ASSERT_NE(begin, std::string::npos) << line;
        auto words = shell_words(line.substr(begin));
        words.erase(words.begin());
        auto const problem = find_parse_error(words);
        EXPECT_FALSE(problem.has_value()) << line << "\n" << problem->message();
        EXPECT_TRUE(line.substr(begin).starts_with("keyswap " + std::string(example.command)));
        shown.insert(std::string(example.command));
    }
    EXPECT_TRUE(find_parse_error({"plan", "--no-such-option"}).has_value());
    CommandInfo const program = program_words();
    shown.insert({"help", "version"}); // these need none
    for (CommandInfo const* command : all_commands(program)) {
        if (command->commands.empty()) {
            std::string const name = command->full_name().substr(sizeof "keyswap");
            EXPECT_TRUE(shown.contains(name)) << "no example shows " << name;
        }
    }
}

TEST(OptionNames, ThePlantedOnesAreFound) {
    EXPECT_EQ(options_in("give --gpus 0 or --no-such, not a--b or ---"),
              (std::vector<std::string>{"--gpus", "--no-such"}));
    EXPECT_EQ(options_in(literals_of(R"(f("--one", x); // "--two")")),
              std::vector<std::string>{"--one"});
    EXPECT_EQ(options_in(literals_of(R"(f(setting("gpus"), x))")),
              std::vector<std::string>{"--gpus"});
    EXPECT_EQ(command_lines_in("| a | `keyswap plan --keys 5` |"),
              std::vector<std::string>{"plan --keys 5"});
}

} // namespace
} // namespace keyswap::tools
