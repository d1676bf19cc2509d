#pragma once

/// \file A reader of standard output that stops early (`| head`): SIGPIPE ends a command that only
/// prints, as it ends other programs; a command that writes files completes them first.

namespace keyswap::tools {

/// Installs the handler of SIGPIPE, unless the caller ignores that signal. Child processes start
/// with its default action.
void handle_closed_pipe();

/// From now on writes to a closed pipe fail instead of ending the process, if the handler is
/// installed.
void outlive_closed_pipe();

/// Ends the process by SIGPIPE if the reader of standard output is gone and the handler is
/// installed; else returns. Call it once all files are complete.
void end_if_pipe_closed();

} // namespace keyswap::tools
