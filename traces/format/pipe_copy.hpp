#pragma once

/// \file Repeated reading of pipes and terminals: the first reader saves a copy of all bytes for
/// later readers.

#include "traces/format/byte_source.hpp"
#include "traces/format/descriptor.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <sys/stat.h>

namespace keyswap {

/// True for pipes and terminals: a second reader would not get the same bytes.
[[nodiscard]] bool is_read_once(int descriptor, struct stat const& status);

/// \return an error for a device that never ends, such as /dev/zero
/// \param name for errors
[[nodiscard]] Expected<void> expect_end(std::filesystem::path const& path, std::string const& name);

/// A reader that starts at the first byte if this process opened the pipe before; nullptr if it did
/// not.
[[nodiscard]] std::unique_ptr<ByteSource> open_pipe_again(struct stat const& status,
                                                          std::string const& name);

/// The first reader of a pipe.
/// \param descriptor remains open so that no other pipe gets the same inode
[[nodiscard]] std::unique_ptr<ByteSource>
open_pipe_first(Descriptor descriptor, struct stat const& status, std::string const& name);

/// Drops all copies, for programs that run several commands; the next open reads the pipe anew.
void forget_pipes();

} // namespace keyswap
