#pragma once

/// \file What `keyswap calibrate --probe` makes of its measurements: a platform and a device
/// profile that the simulator reads.

#include "kernels/bench/benchmark.hpp"
#include "kernels/bench/kernel_rates.hpp"
#include "simulator/cost/device_profile.hpp"
#include "simulator/platform/platform.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Everything that a probe measured, and on what.
struct ProbeResult {
    std::string device;       ///< "NVIDIA H200"
    std::string driver;       ///< "580.159.04"
    std::string date;         ///< "2026-11-21"
    std::vector<int> devices; ///< as measured, in the platform's order
    std::uint64_t host_memory_bytes = 0;
    kernels::MachineRates rates;
    kernels::KernelRates kernels;
};

/// `start` with every constant that the probe measures replaced, and its origin; the others are
/// marked as assumed.
[[nodiscard]] simulator::DeviceProfile probed_profile(ProbeResult const& probe,
                                                      simulator::DeviceProfile start);

/// One CPU, whose memory is as fast as all GPUs' transfers together; a link from it to each GPU;
/// and where there are several, a switch between them with a link of a pair's rate to each GPU.
/// \param name of the platform; profile_name of the device profile
[[nodiscard]] simulator::Platform
probed_platform(ProbeResult const& probe, std::string const& name, std::string const& profile_name);

} // namespace keyswap::tools
