#pragma once

/// \file How a single-GPU sort divides its keys.

#include "kernels/local/local_sort.hpp"

#include <optional>

namespace keyswap::kernels {

/// The plan's single_gpu_levels() with a sample of the GPU's keys, which it waits for.
/// \pre the GPU's current buffer holds images; the GPU has the memory that the row needs
[[nodiscard]] std::optional<LocalLevels>
single_gpu_levels(RunContext const& context, GpuState const& gpu, DigitRow const& row);

} // namespace keyswap::kernels
