#pragma once

#include "simulator/cost/device_profile.hpp"
#include "simulator/platform/gpu_sheet.hpp"

namespace keyswap::simulator {

/// Costs of a GPU that nobody has measured, in proportion to the A100 of the published runs: costs
/// a key grow as memory bandwidth falls or as multiprocessors times clock do, whichever is more;
/// rates of bytes follow the memory; launches stay. So scaled, A100's costs are H200's within a
/// tenth, measured with the CUB of three years later (3.0.1); on GPUs before these, today's CUB is
/// taken to sort 1.3 times as fast as the one of the published runs. Every constant is marked
/// assumed.
[[nodiscard]] DeviceProfile scaled_profile(GpuSheet const& sheet);

} // namespace keyswap::simulator
