#pragma once

namespace keyswap::tools {

/// The exit status of every command. Nothing else is ever returned.
enum class ExitCode : int {
    fine = 0,         ///< done; where something was checked, it holds
    violation = 1,    ///< something was checked and does not hold
    could_not_run = 2 ///< wrong arguments, unreadable file, no memory
};

} // namespace keyswap::tools
