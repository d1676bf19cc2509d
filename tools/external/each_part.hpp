#pragma once

/// \file Work on parts, on several threads.

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <functional>
#include <system_error>

namespace keyswap::tools {

/// What to say where the machine has no thread left.
[[nodiscard]] InputError threads_missing(unsigned threads, std::system_error const& error);

/// Calls `work` with the number of each part and of the thread that has it. Parts begin in order;
/// none begins after an error.
[[nodiscard]] Expected<void>
for_each_part(unsigned threads,
              std::size_t parts,
              std::function<Expected<void>(std::size_t part, unsigned thread)> const& work);

} // namespace keyswap::tools
