#pragma once

#include "tools/report/report_request.hpp"

#include <optional>
#include <string>

namespace keyswap::tools {

/// Detects the kind of a file by its first bytes and adds its content to a report.
/// \pre content.machine is loaded if the options name a platform
/// \return an error if the file is damaged or of unknown kind
[[nodiscard]] Expected<void>
read_report_file(ReportOptions const& options, std::string const& file, ReportContent& content);

} // namespace keyswap::tools
