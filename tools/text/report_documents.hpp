#pragma once

/// \file Reports of verified traces as text, JSON and JUnit suites.

#include "model/verify/verify_report.hpp"
#include "tools/text/json.hpp"
#include "tools/text/junit.hpp"

#include <iosfwd>
#include <span>
#include <vector>

namespace keyswap::tools {

enum class Detail {
    first, ///< only the first difference and the number of others
    all
};

/// Writes one paragraph per trace.
void write_text(model::verify::Report const& report, Detail detail, std::ostream& out);

/// Fields: name, holds, run, verdicts (count of each), differences, checked, unchecked.
[[nodiscard]] Json report_json(model::verify::Report const& report, Detail detail);

/// One suite per trace, one case per check; checks that were impossible are skipped.
[[nodiscard]] std::vector<JunitSuite> junit_suites(std::span<model::verify::Report const> reports);

} // namespace keyswap::tools
