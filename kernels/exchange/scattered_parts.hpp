#pragma once

/// \file What a pass that scattered parts of a chunk does with the rest of it.

#include "kernels/runtime/run_context.hpp"

#include <span>

namespace keyswap::kernels {

/// After parts of a chunk were scattered from the current buffer to the other: copies whichever is
/// less, the parts back or what lies between them, and takes the buffer with all as current.
/// \param parts ascending
void join_scattered(RunContext const& context, GpuState& gpu, std::span<KeyRange const> parts);

} // namespace keyswap::kernels
