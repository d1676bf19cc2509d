#pragma once

/// \file How the keys of a sort's only GPU are divided.

#include "kernels/local/digit_choice.hpp"
#include "kernels/local/local_sort.hpp"

#include <optional>

namespace keyswap::kernels {

/// By digits where these make leaves in about as few levels as if the keys were spread evenly, or
/// as the row says where few values of the digits hold most keys; nothing for few keys, and where
/// CUB is to sort. Waits for a look at some keys.
/// \pre images lie in the current buffer of the GPU, which has the memory that the row needs
[[nodiscard]] std::optional<LocalLevels>
single_gpu_levels(RunContext const& context, GpuState const& gpu, DigitRow const& row);

} // namespace keyswap::kernels
