#pragma once

/// \file Results as JUnit XML, for CI servers.

#include "traces/errors/input_error.hpp"

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keyswap::tools {

struct JunitCase {
    std::string name;
    std::string failure; ///< a word or two; empty if the case passed
    std::string detail;  ///< details of the failure
    std::string skipped; ///< why it was skipped; empty if it was not
};

/// Test case of a checked property. \param failure in a word or two \param detail of the failure
[[nodiscard]] inline JunitCase
checked_case(std::string name, bool holds, std::string failure, std::string detail) {
    return holds ? JunitCase{std::move(name), {}, {}, {}}
                 : JunitCase{std::move(name), std::move(failure), std::move(detail), {}};
}

struct JunitSuite {
    std::string name; ///< also the class name of its cases
    std::vector<JunitCase> cases;
};

/// \param command name of the command, for instance "verify"
void write_junit(std::string_view command, std::span<JunitSuite const> suites, std::ostream& out);

/// Writes the suites to a new file.
[[nodiscard]] Expected<void> write_junit_file(std::string const& path,
                                              std::string_view command,
                                              std::span<JunitSuite const> suites);

} // namespace keyswap::tools
