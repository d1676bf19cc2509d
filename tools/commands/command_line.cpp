#include "tools/commands/command_line.hpp"

#include "tools/build/build_info.hpp"
#include "tools/commands/command.hpp"
#include "tools/commands/help/command_examples.hpp"
#include "tools/commands/help/help_text.hpp"
#include "tools/options/limit_options.hpp"
#include "tools/options/number_check.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/captured_output.hpp"
#include "tools/output/closed_pipe.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/text_width.hpp"
#include "tools/text/wrapped_output.hpp"
#include "traces/errors/input_limits.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/publication.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace keyswap::tools {

namespace {

/// Innermost parsed subcommand: `show` for "keyswap topology show".
CLI::App const& reached_command(CLI::App const& app) {
    CLI::App const* reached = &app;
    while (!reached->get_subcommands().empty()) {
        reached = reached->get_subcommands().back();
    }
    return *reached;
}

/// Name of a command with its parents: "keyswap topology show".
std::string full_name(CLI::App const& command) {
    return path_text(command_path(command));
}

std::vector<std::string> known_words(CLI::App const& command) {
    std::vector<std::string> words;
    for (CLI::App const* app = &command; app != nullptr; app = app->get_parent()) {
        for (CLI::Option const* option : app->get_options()) {
            for (auto const& name : option->get_lnames()) {
                words.push_back("--" + name);
            }
        }
    }
    for (CLI::App const* subcommand : command.get_subcommands({})) {
        words.push_back(subcommand->get_name());
    }
    return words;
}

/// Commands of the program that have an option, as a list: "plan, sort".
std::string commands_with(CLI::App const& app, std::string const& option) {
    std::vector<std::string> names;
    for (CLI::App const* command : app.get_subcommands({})) {
        if (command->get_option_no_throw(option) != nullptr) {
            names.push_back(command->get_name());
        }
    }
    return joined_text(names, ", ");
}

/// Known option with the same first word: "--gpus" for "--gpu-count".
std::optional<std::string> same_beginning(std::string const& word,
                                          std::vector<std::string> const& known) {
    constexpr std::size_t letters_min = std::string_view("--gpu").size();
    std::string const beginning = word.substr(0, word.find('-', 2));
    auto const found = std::ranges::find_if(
        known, [&](std::string const& name) { return name.starts_with(beginning); });
    return word.starts_with("--") && beginning.size() >= letters_min && found != known.end()
               ? std::optional(*found)
               : std::nullopt;
}

/// Error for an argument that no option or command accepts, with the most similar known name.
InputError unknown_argument(CLI::App const& app, std::string const& argument) {
    CLI::App const& command = reached_command(app);
    std::string const word = argument.substr(0, argument.find('='));
    bool const is_option = word.starts_with("-");
    bool const names_command = !is_option && !command.get_subcommands({}).empty();
    std::string const what = is_option       ? "is not an option of '"
                             : names_command ? "is not a command of '"
                                             : "is one argument too many for '";
    std::string remedy = "see '" + full_name(command) + " --help'";
    auto const known = known_words(command);
    auto const nearest = nearest_word(word, known);
    if (auto const meant = nearest ? nearest : same_beginning(word, known)) {
        remedy = "did you mean '" + *meant + "'? Or " + remedy;
    } else if (auto const others = commands_with(app, word); is_option && !others.empty()) {
        remedy = "it is an option of " + others + "; " + remedy;
    }
    return InputError{"'" + word + "'", what + full_name(command) + "'", remedy};
}

/// Command given without one of its required subcommands, which then prints its help; else null.
CLI::App const* asks_for_help(CLI::App const& app, CLI::ParseError const& error) {
    CLI::App const& command = reached_command(app);
    bool const names_none =
        static_cast<CLI::ExitCodes>(error.get_exit_code()) == CLI::ExitCodes::RequiredError &&
        !command.get_subcommands({}).empty() && app.remaining(true).empty();
    return names_none ? &command : nullptr;
}

bool is_option_of(CLI::App const& command, std::string const& word) {
    return word.starts_with("--") &&
           std::ranges::count(known_words(command), word.substr(0, word.find('='))) > 0;
}

/// Error if an option has no value: if another option occurs in its place, which CLI11 consumes, or
/// if an empty text does where a folder is named.
std::optional<InputError> missing_value(CLI::App const& app) {
    CLI::App const& command = reached_command(app);
    for (CLI::App const* owner = &command; owner != nullptr; owner = owner->get_parent()) {
        for (CLI::Option const* option : owner->get_options()) {
            for (std::string const& value : option->results()) {
                if (value.empty() && option->get_type_name() == "DIR") {
                    return InputError{option->get_name(),
                                      "'' is not a folder name",
                                      "give a folder's name; '.' is the working folder"};
                }
                if (is_option_of(command, value)) {
                    return InputError{full_name(command) + ": " + option->get_name(),
                                      "has no value: '" + value + "' is the next option",
                                      "give the value; a file of that name is './" + value + "'"};
                }
            }
        }
    }
    return std::nullopt;
}

/// Converts an error of CLI11 to one line with a remedy.
InputError wrong_arguments(CLI::App const& app, CLI::ParseError const& error) {
    if (auto const missing = missing_value(app)) { // the option in its place is no valid value
        return *missing;
    }
    auto const unknown = app.remaining(true);
    auto const code = static_cast<CLI::ExitCodes>(error.get_exit_code());
    bool const about_names =
        code == CLI::ExitCodes::ExtrasError || code == CLI::ExitCodes::RequiredError;
    if (about_names && !unknown.empty()) {
        // The value of an unknown option is left over, too.
        auto const option = std::ranges::find_if(
            unknown, [](std::string const& word) { return word.starts_with("-"); });
        bool const is_command =
            !reached_command(app).get_subcommands({}).empty() && !unknown.front().starts_with("-");
        return unknown_argument(app,
                                option != unknown.end() && !is_command ? *option : unknown.front());
    }
    CLI::App const& command = reached_command(app);
    std::string problem = error.what();
    constexpr std::string_view too_often = "At Most 1 required but received ";
    if (auto const at = problem.find(too_often); at != std::string::npos) {
        problem = problem.replace(at, too_often.size(), "is given ") + " times";
    }
    constexpr std::string_view no_conversion = "Could not convert: "; // "--buckets = 4294967296"
    if (auto const equals = problem.find(" = ");
        problem.starts_with(no_conversion) && equals != std::string::npos) {
        problem = problem.substr(no_conversion.size(), equals - no_conversion.size()) + ": '" +
                  problem.substr(equals + 3) + "' does not fit";
    }
    return InputError{full_name(command), problem, "see '" + full_name(command) + " --help'"};
}

/// Formats help for the width of the terminal.
class HelpFormatter final : public CLI::FormatterBase {
  public:
    std::string
    make_help(CLI::App const* app, std::string /*name*/, CLI::AppFormatMode) const override {
        return help_text(command_words(*app), terminal_columns(STDOUT_FILENO));
    }
};

/// The program as CLI11 parses it: its name, version, footer and all commands.
struct Program {
    CLI::App app;
    ChosenCommand chosen;           ///< once the arguments were parsed
    std::vector<std::string> words; ///< arguments of parse()

    Program();
    /// \param given without the program's name \throws CLI::ParseError
    void parse(std::vector<std::string> given) {
        words = given;
        std::ranges::reverse(given); // CLI11 expects the reverse order
        app.parse(std::move(given));
    }
};

Program::Program() {
    app.name("keyswap");
    app.formatter(std::make_shared<HelpFormatter>());
    app.description("Plan, replay, simulate and check multi-GPU sorts");
    app.set_version_flag("--version", build_description(), "Print version, commit and compiler");
    app.footer("Counts and sizes may be written 2000000000, 2e9, 2G or 2_000_000_000.\n"
               "A file named - is standard input or output.\n"
               "Existing files are kept unless --force is given.\n"
               "Exit status: 0 fine, 1 a violation was found, 2 could not run.");
    app.require_subcommand(1);
    app.fallthrough(); // allows program options after a command
    add_limit_options(app);
    add_commands(app, chosen);
    check_numbers(app);
    add_examples(app);
}

/// Error for a list with an empty item, such as "1e6,", which CLI11 drops.
std::optional<InputError> empty_item(Program const& program) {
    CLI::App const& command = reached_command(program.app);
    CLI::Option const* option = nullptr; // of the word or of those before it
    for (std::string const& word : program.words) {
        std::string value = word;
        if (word.starts_with("--")) {
            std::size_t const equals = std::min(word.find('='), word.size());
            option = command.get_option_no_throw(word.substr(0, equals));
            value.erase(0, equals + 1);
        }
        if (option == nullptr || option->get_delimiter() == '\0' ||
            value.find(option->get_delimiter()) == std::string::npos) {
            continue;
        }
        auto const items =
            CLI::detail::split(value + option->get_delimiter(), option->get_delimiter());
        auto const empty = std::ranges::find(items, "");
        if (empty != items.end()) {
            return InputError{option->get_name(),
                              "item " + std::to_string(empty - items.begin() + 1) + " of '" +
                                  value + "' is empty",
                              "leave the comma out, or write the item"};
        }
    }
    return std::nullopt;
}

/// Error for a flag with a value: CLI11 takes "--stable=" for its absence.
std::optional<InputError> flag_with_value(Program const& program) {
    CLI::App const& command = reached_command(program.app);
    for (std::string const& word : program.words) {
        std::string const name = word.substr(0, word.find('='));
        for (CLI::App const* owner = &command; owner != nullptr; owner = owner->get_parent()) {
            CLI::Option const* const option = owner->get_option_no_throw(name);
            if (name.starts_with("--") && name != word && option != nullptr &&
                option->get_items_expected_max() == 0) {
                return InputError{"'" + word + "'",
                                  "gives a value to an option that has none",
                                  "write " + name + ", or leave it out"};
            }
        }
    }
    return std::nullopt;
}

/// Error for a value that CLI11 accepts, though it is none; nullopt if there is no such value.
std::optional<InputError> wrong_value(Program const& program) {
    if (auto flag = flag_with_value(program)) {
        return flag;
    }
    auto missing = missing_value(program.app);
    return missing ? missing : empty_item(program);
}

/// Cuts out the middle of a very long message, such as one that repeats an argument of 100 kB.
std::string without_middle(std::string const& text) {
    constexpr std::size_t longest = 6000; // more than two paths of PATH_MAX
    constexpr std::size_t kept = 1000;    // bytes at each end
    if (text.size() <= longest) {
        return text;
    }
    std::size_t first = kept;
    std::size_t last = text.size() - kept;
    while (!begins_character(text[first])) {
        --first;
    }
    while (!begins_character(text[last])) {
        ++last;
    }
    return text.substr(0, first) + " [... " + counted(last - first, "byte") + " ...] " +
           text.substr(last);
}

ExitCode print_error(InputError const& error) {
    std::cout.flush();
    std::string const text =
        "keyswap: error: " + without_middle(replace_standard_input_path(error.message()));
    std::cerr << wrapped(text, terminal_columns(STDERR_FILENO)) << '\n';
    return ExitCode::could_not_run;
}

/// The code, or an error if standard output could not be written. Checks the C stream, whose error
/// flag is sticky; std::cout misses failures of printf and of its own unbuffered output.
/// \param rest what the error says about other outputs
ExitCode check_output_written(ExitCode code, std::string const& rest = "") {
    bool const flushed = !std::cout.flush().fail() && std::fflush(stdout) == 0;
    if (!flushed || std::ferror(stdout) != 0) {
        end_if_pipe_closed();
        std::clearerr(stdout);
        std::cout.clear();
        return print_error(
            InputError{"standard output",
                       "not everything could be written" + rest,
                       "check whether the disk is full or the reader stopped early"});
    }
    return code;
}

/// True if standard output is for people: no JSON, no result file and no script.
bool prints_for_people(CLI::App const& command) {
    constexpr std::array<std::string_view, 6> writers{
        "completion", "man", "import", "here", "export", "draw"};
    auto const options = command.get_options([](CLI::Option const* option) {
        std::string const name = option->get_name();
        return option->count() > 0 &&
               (name == "--json" || std::ranges::count(option->results(), "-") > 0);
    });
    return options.empty() && std::ranges::count(writers, command.get_name()) == 0;
}

/// Fields as libraries name them in errors, with the options that fill them in.
constexpr std::array<std::pair<std::string_view, char const*>, 10> option_of_field{
    {{"algorithm", "--algorithm"},
     {"GPU memory", "--gpu-memory"},
     {"variant of ", "--variant"},
     {"distribution", "--distribution"},
     {"key type", "--type"},
     {"value width", "--values"},
     {"direction", "--direction"},
     {"zero order", "--zero-order"},
     {"order of NaN", "--nan-order"},
     {"format", "--format"}}};

/// Replaces a field in the error by the option that sets it, if that option was given.
InputError with_option_named(InputError error, CLI::App const& command) {
    auto const field = std::ranges::find_if(option_of_field, [&error](auto const& one) {
        return one.first.ends_with(' ') ? error.subject.starts_with(one.first)
                                        : error.subject == one.first;
    });
    if (field != option_of_field.end()) {
        CLI::Option const* const option = command.get_option_no_throw(field->second);
        error.subject = option != nullptr && option->count() > 0 ? field->second : error.subject;
    }
    return error;
}

/// Runs the command. Its errors name the options of the command line.
Expected<ExitCode> run_chosen(ChosenCommand const& chosen, CLI::App const& command) {
    return chosen.run().map_error(
        [&command](InputError error) { return with_option_named(std::move(error), command); });
}

/// As run_chosen(), with standard output wrapped to the terminal's width if people read it.
Expected<ExitCode> run_in_terminal(ChosenCommand const& chosen, CLI::App const& command) {
    if (!prints_for_people(command)) {
        return run_chosen(chosen, command);
    }
    WrappedOutput const fitted(std::cout, terminal_columns(STDOUT_FILENO));
    return run_chosen(chosen, command);
}

/// Arguments of the program; those after "--" are marked as files even if they begin with a dash.
std::vector<std::string> words_of(int argc, char const* const* argv) {
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    if (auto word = std::ranges::find(words, "--"); word != words.end()) {
        for (word = words.erase(word); word != words.end(); ++word) {
            *word = (word->size() > 1 && word->starts_with('-') ? "./" : "") + *word;
        }
    }
    return words;
}

ExitCode parse_and_run(int argc, char const* const* argv) {
    forget_standard_input();
    reset_limits();
    Program program;
    CLI::App& app = program.app;
    try {
        program.parse(words_of(argc, argv));
    } catch (CLI::Success const& help) {
        if (auto const wrong = flag_with_value(program)) {
            return print_error(*wrong);
        }
        app.exit(help);
        return check_output_written(ExitCode::fine);
    } catch (CLI::ParseError const& error) {
        if (auto const wrong = flag_with_value(program)) {
            return print_error(*wrong);
        }
        CLI::App const* const command = asks_for_help(app, error);
        if (command == nullptr) {
            return print_error(wrong_arguments(app, error));
        }
        std::cout << command->help();
        return check_output_written(ExitCode::fine);
    }
    if (auto const wrong = wrong_value(program)) {
        return print_error(*wrong);
    }
    Publication outputs;
    auto const code = run_in_terminal(program.chosen, reached_command(app));
    if (!code) {
        return print_error(code.error());
    }
    if (*code == ExitCode::could_not_run) {
        return check_output_written(*code);
    }
    auto const published = outputs.publish(); // first: complete files do not depend on a report
    return published ? check_output_written(*code, "; any output file is complete")
                     : print_error(published.error());
}

} // namespace

std::optional<InputError> find_parse_error(std::vector<std::string> words) {
    Program program;
    try {
        program.parse(std::move(words));
    } catch (CLI::Success const&) {
        return std::nullopt;
    } catch (CLI::ParseError const& error) {
        return asks_for_help(program.app, error) == nullptr
                   ? std::optional(wrong_arguments(program.app, error))
                   : std::nullopt;
    }
    return wrong_value(program);
}

CommandInfo program_words() {
    return command_words(Program().app);
}

Expected<CommandResult> call_command(std::vector<std::string> words) {
    forget_standard_input();
    reset_limits();
    Program program;
    try {
        program.parse(std::move(words));
    } catch (CLI::Success const&) {
        return input_error("--help and --version",
                           "print text, but a request has a document as its result",
                           "leave them out");
    } catch (CLI::ParseError const& error) {
        return tl::unexpected(wrong_arguments(program.app, error));
    }
    if (auto const wrong = wrong_value(program)) {
        return tl::unexpected(*wrong);
    }
    CapturedOutput captured;
    Publication outputs;
    KEYSWAP_TRY(auto const code, run_chosen(program.chosen, reached_command(program.app)));
    KEYSWAP_RETURN_IF_ERROR(outputs.publish());
    return CommandResult{code, std::move(captured.document), captured.remarks.str()};
}

InputError error_of_current_exception() {
    try {
        throw;
    } catch (std::bad_alloc const&) {
        return InputError{
            "memory",
            "not enough for this run",
            "use fewer keys, or plan them without making them: 'keyswap plan --distribution'"};
    } catch (std::filesystem::filesystem_error const& error) {
        std::string const path = error.path1().string();
        return InputError{path.empty() ? "the working folder" : path,
                          "cannot be used: " + error.code().message(),
                          "check that it exists and that you have access to it"};
    } catch (std::system_error const& error) {
        return InputError{
            "the system",
            "refuses more resources: " + error.code().message(),
            "raise the limits on processes and files (ulimit -u, ulimit -n), or use fewer threads"};
    } catch (std::exception const& error) {
        return InputError{"", error.what(), ""};
    }
}

ExitCode run(int argc, char const* const* argv) noexcept {
    try {
        try {
            return parse_and_run(argc, argv);
        } catch (...) {
            return print_error(error_of_current_exception());
        }
    } catch (...) {
        std::fputs("keyswap: error: the error itself could not be printed\n", stderr);
        return ExitCode::could_not_run;
    }
}

} // namespace keyswap::tools
