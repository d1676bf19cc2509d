#pragma once

/// \file What can be read only once, a pipe or a terminal, is read once: the first reader leaves a
/// copy of it to those that come after.

#include "traces/format/byte_reader.hpp"

#include <memory>
#include <string>
#include <sys/stat.h>

namespace keyswap {

/// Whether a second reader would not find what the first one found.
[[nodiscard]] bool is_read_once(int descriptor, struct stat const& status);

/// A reader of all bytes from the first on, if the pipe was opened before in this process; else
/// null.
[[nodiscard]] std::unique_ptr<ByteSource> open_pipe_again(struct stat const& status,
                                                          std::string const& name);

/// The first reader of a pipe.
/// \param descriptor owned from here on; kept open, so that no other pipe gets its number
[[nodiscard]] std::unique_ptr<ByteSource>
open_pipe_first(int descriptor, struct stat const& status, std::string const& name);

/// Pipes are read anew, for programs that run more than one command.
void forget_pipes();

} // namespace keyswap
