#pragma once

/// \file How the keys of a sort's only GPU are divided.

#include "kernels/local/local_sort.hpp"

#include <optional>

namespace keyswap::kernels {

/// As the plan has it, after a look at some keys that it waits for.
/// \pre images lie in the current buffer of the GPU, which has the memory that the row needs
[[nodiscard]] std::optional<LocalLevels>
single_gpu_levels(RunContext const& context, GpuState const& gpu, DigitRow const& row);

} // namespace keyswap::kernels
