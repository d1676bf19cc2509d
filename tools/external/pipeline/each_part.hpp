#pragma once

/// \file Runs independent parts of a job on several threads.

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <functional>
#include <system_error>

namespace keyswap::tools {

/// Error for std::system_error, thrown when no more threads can be created.
[[nodiscard]] InputError threads_missing(unsigned threads, std::system_error const& error);

/// Calls `work` with the index of each part and of the thread that runs it. Parts start in order;
/// after the first error no further part starts.
[[nodiscard]] Expected<void>
for_each_part(unsigned threads,
              std::size_t parts,
              std::function<Expected<void>(std::size_t part, unsigned thread)> const& work);

} // namespace keyswap::tools
