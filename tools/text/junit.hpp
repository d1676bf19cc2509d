#pragma once

/// \file Results as JUnit XML, which build servers show.

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
    std::string failure; ///< in a word or two; empty if it holds
    std::string detail;  ///< of the failure
    std::string skipped; ///< why it was not checked; empty if it was
};

/// A property that was checked. \param failure in a word or two \param detail of the failure
[[nodiscard]] inline JunitCase
checked_case(std::string name, bool holds, std::string failure, std::string detail) {
    return holds ? JunitCase{std::move(name), {}, {}, {}}
                 : JunitCase{std::move(name), std::move(failure), std::move(detail), {}};
}

struct JunitSuite {
    std::string name; ///< also the class name of its cases
    std::vector<JunitCase> cases;
};

/// \param command "verify"
void write_junit(std::string_view command, std::span<JunitSuite const> suites, std::ostream& out);

/// The same as a new file.
[[nodiscard]] Expected<void> write_junit_file(std::string const& path,
                                              std::string_view command,
                                              std::span<JunitSuite const> suites);

} // namespace keyswap::tools
