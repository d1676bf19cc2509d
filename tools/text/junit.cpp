#include "tools/text/junit.hpp"

#include "traces/errors/printable_text.hpp"
#include "traces/format/atomic_file.hpp"
#include "traces/format/xml_text.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>

namespace keyswap::tools {

namespace {

/// Escapes text for XML 1.0; control characters, which XML forbids, become visible escapes.
std::string escaped(std::string const& text) {
    return xml_text(printable_text(text));
}

/// Like escaped(), line by line.
std::string escaped_lines(std::string const& text) {
    std::istringstream lines(text);
    std::string escaped_text;
    for (std::string line; std::getline(lines, line);) {
        escaped_text += escaped(line) + "\n";
    }
    return escaped_text;
}

void write_case(JunitSuite const& suite, JunitCase const& one, std::ostream& out) {
    out << "    <testcase classname=\"" << escaped(suite.name) << "\" name=\"" << escaped(one.name)
        << "\">";
    if (!one.failure.empty()) {
        out << "<failure message=\"" << escaped(one.failure) << "\">" << escaped_lines(one.detail)
            << "</failure>";
    } else if (!one.skipped.empty()) {
        out << "<skipped message=\"" << escaped(one.skipped) << "\"/>";
    }
    out << "</testcase>\n";
}

} // namespace

void write_junit(std::string_view command, std::span<JunitSuite const> suites, std::ostream& out) {
    out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"keyswap " << command
        << "\">\n";
    for (JunitSuite const& suite : suites) {
        auto const failed = [](JunitCase const& one) { return !one.failure.empty(); };
        auto const skipped = [](JunitCase const& one) {
            return one.failure.empty() && !one.skipped.empty();
        };
        out << "  <testsuite name=\"" << escaped(suite.name) << "\" tests=\"" << suite.cases.size()
            << "\" failures=\"" << std::ranges::count_if(suite.cases, failed) << "\" skipped=\""
            << std::ranges::count_if(suite.cases, skipped) << "\">\n";
        for (JunitCase const& one : suite.cases) {
            write_case(suite, one, out);
        }
        out << "  </testsuite>\n";
    }
    out << "</testsuites>\n";
}

Expected<void> write_junit_file(std::string const& path,
                                std::string_view command,
                                std::span<JunitSuite const> suites) {
    std::ostringstream text;
    write_junit(command, suites, text);
    return write_whole_file(path, text.str());
}

} // namespace keyswap::tools
