#include "tools/options/number_check.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace keyswap::tools {

namespace {

/// The number without plus sign and leading zeros, which C++ would read as octal.
std::string decimal(std::string_view text) {
    bool const negative = text.starts_with('-');
    if (negative || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    bool const whole = text.find_first_not_of("0123456789") == std::string_view::npos;
    while (whole && text.size() > 1 && text.front() == '0') {
        text.remove_prefix(1);
    }
    return (negative ? "-" : "") + std::string(text);
}

/// The problem with the text as a number; empty if there is none.
template <class Number>
std::string problem_of(std::string const& text, std::string const& kind) {
    Number number{};
    auto const [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code == std::errc::result_out_of_range) {
        return "'" + text + "' does not fit";
    }
    bool const all_read = code == std::errc{} && end == text.data() + text.size();
    if (!all_read || !std::isfinite(static_cast<double>(number))) {
        return "'" + text + "' is not " + kind;
    }
    return "";
}

void check_number(CLI::Option& option) {
    std::string const type = option.get_type_name();
    auto const check = [&option](auto problem_of_kind, std::string const& kind) {
        option.transform(CLI::Validator(
            [problem_of_kind, kind](std::string& text) {
                std::string const number = decimal(text);
                std::string problem = problem_of_kind(number, kind);
                text = problem.empty() ? number : text;
                return problem;
            },
            ""));
    };
    if (type.starts_with("UINT")) {
        check(problem_of<std::uint64_t>, "a whole number of 0 or more");
    } else if (type.starts_with("INT")) {
        check(problem_of<std::int64_t>, "a whole number");
    } else if (type.starts_with("FLOAT")) {
        check(problem_of<double>, "a number");
    }
}

} // namespace

void check_numbers(CLI::App& app) {
    for (CLI::Option* const option : app.get_options()) {
        check_number(*option);
    }
    for (CLI::App* const command : app.get_subcommands([](CLI::App*) { return true; })) {
        check_numbers(*command);
    }
}

} // namespace keyswap::tools
