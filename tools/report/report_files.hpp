#pragma once

#include "tools/report/report_request.hpp"

#include <optional>
#include <string>

namespace keyswap::tools {

/// Finds out what a file is by its first bytes, and reads it into what a report shows.
/// \pre content.machine is loaded where options name a platform
/// \return an error where the file is of no known kind or broken
[[nodiscard]] Expected<void>
read_report_file(ReportOptions const& options, std::string const& file, ReportContent& content);

} // namespace keyswap::tools
