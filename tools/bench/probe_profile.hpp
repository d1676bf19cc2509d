#pragma once

/// \file Converts the measurements of `keyswap calibrate --probe` to a platform and a device
/// profile for the simulator.

#include "kernels/bench/benchmark.hpp"
#include "kernels/bench/kernel_rates.hpp"
#include "simulator/cost/device_profile.hpp"
#include "simulator/platform/platform.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Results of a probe, with the devices that it measured.
struct ProbeResult {
    std::string device;       ///< "NVIDIA H200"
    std::string driver;       ///< "580.159.04"
    std::string date;         ///< "2026-11-21"
    std::vector<int> devices; ///< in the platform's order
    std::uint64_t host_memory_bytes = 0;
    kernels::MachineRates rates;
    kernels::KernelRates kernels;
};

/// `start` with all measured constants and their origins replaced; the other constants are marked
/// as assumed.
[[nodiscard]] simulator::DeviceProfile probed_profile(ProbeResult const& probe,
                                                      simulator::DeviceProfile start);

/// One CPU, with memory as fast as the transfers of all GPUs together, and a link to each GPU. For
/// several GPUs also a switch, with a link of pairwise bandwidth to each GPU.
/// \param name of the platform \param profile_name of the device profile
[[nodiscard]] simulator::Platform
probed_platform(ProbeResult const& probe, std::string const& name, std::string const& profile_name);

} // namespace keyswap::tools
