#pragma once

/// \file Reports of verified traces as text, JSON and suites for JUnit XML.

#include "model/verify/verify_report.hpp"
#include "tools/text/json.hpp"
#include "tools/text/junit.hpp"

#include <iosfwd>
#include <span>
#include <vector>

namespace keyswap::tools {

enum class Detail {
    first, ///< the first difference alone, and how many more there are
    all
};

/// One paragraph a trace.
void write_text(model::verify::Report const& report, Detail detail, std::ostream& out);

/// Members: name, holds, run, verdicts (count of each), differences, checked, unchecked.
[[nodiscard]] Json report_json(model::verify::Report const& report, Detail detail);

/// One test suite a trace, one test case a check; what could not be checked is skipped.
[[nodiscard]] std::vector<JunitSuite> junit_suites(std::span<model::verify::Report const> reports);

} // namespace keyswap::tools
