#pragma once

#include "tools/report/run_view.hpp"
#include "tools/text/json.hpp"

namespace keyswap::tools {

/// Whether these are runs of a sort that Keyswap does not know: of it nothing but the keys and the
/// verdicts on its output are known, so that it has a section of its own.
[[nodiscard]] bool is_foreign(RunView const& view);

/// The section of such runs: how many failed, and how the first one did.
/// \pre is_foreign(view)
[[nodiscard]] Json foreign_data(RunView const& view);

} // namespace keyswap::tools
