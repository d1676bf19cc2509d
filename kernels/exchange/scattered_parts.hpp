#pragma once

/// \file Completes a pass that has scattered only some parts of a chunk.

#include "kernels/runtime/run_context.hpp"

#include <span>

namespace keyswap::kernels {

/// Called after parts of a chunk were scattered from the current buffer to the other: copies either
/// the parts back or the gaps over, whichever is less; the complete buffer becomes current.
/// \param parts ascending
void join_scattered(RunContext const& context, GpuState& gpu, std::span<KeyRange const> parts);

} // namespace keyswap::kernels
