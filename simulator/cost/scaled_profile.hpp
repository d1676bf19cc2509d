#pragma once

#include "simulator/cost/device_profile.hpp"
#include "simulator/platform/gpu_sheet.hpp"

namespace keyswap::simulator {

/// Estimates the costs of an unmeasured GPU from A100's in the published runs: per-key costs scale
/// with 1 / memory bandwidth or 1 / (multiprocessors * clock), whichever is larger; byte rates
/// scale with memory bandwidth; launches are unchanged. A100's costs scaled to H200 are within a
/// tenth of those measured with a CUB three years newer (3.0.1); on older GPUs today's CUB is
/// assumed to sort 1.3 times as fast as that of the published runs. All constants are marked
/// assumed.
[[nodiscard]] DeviceProfile scaled_profile(GpuSheet const& sheet);

} // namespace keyswap::simulator
