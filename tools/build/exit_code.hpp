#pragma once

namespace keyswap::tools {

/// Exit status of every command; no other value is returned.
enum class ExitCode : int {
    fine = 0,         ///< done; all checks passed, if any
    violation = 1,    ///< a check failed
    could_not_run = 2 ///< wrong arguments, unreadable file, no memory
};

} // namespace keyswap::tools
