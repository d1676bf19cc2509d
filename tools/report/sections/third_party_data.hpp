#pragma once

#include "tools/report/run_view.hpp"
#include "tools/text/json.hpp"

namespace keyswap::tools {

/// True for runs of a third-party sort: only its keys and the verdicts on its output are known, so
/// it has its own kind of section.
[[nodiscard]] bool is_third_party(RunView const& view);

/// Section of such runs: number of failures, and details of the first one.
/// \pre is_third_party(view)
[[nodiscard]] Json third_party_data(RunView const& view);

} // namespace keyswap::tools
