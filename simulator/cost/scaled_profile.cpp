#include "simulator/cost/scaled_profile.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cmath>

namespace keyswap::simulator {

namespace {

constexpr std::string_view base_name = "A100";

/// Speed-up of today's CUB over that of the published runs (CUDA 11.4) on GPUs below compute
/// capability 9.0. On 9.0 and above, CUB 3.0.1 as measured is, relative to the hardware, as fast as
/// the old one.
constexpr double newer_library = 1.3;
constexpr std::uint32_t first_sm_as_measured = 90;

double compute_of(GpuSheet const& sheet) {
    return sheet.multiprocessors * sheet.boost_MHz;
}

/// Rounds to three digits: more would suggest measured values.
double rounded(double value) {
    if (value == 0.0) {
        return 0.0;
    }
    double const unit = std::pow(10.0, std::floor(std::log10(value)) - 2.0);
    return std::round(value / unit) * unit;
}

} // namespace

DeviceProfile scaled_profile(GpuSheet const& sheet) {
    auto const base_sheet = find_gpu_sheet(base_name);
    auto profile = load_device_profile(base_name);
    KEYSWAP_ENSURES(base_sheet.has_value() && profile.has_value());
    double const memory =
        static_cast<double>(base_sheet->memory_Bps) / static_cast<double>(sheet.memory_Bps);
    double const slower = std::max(memory, compute_of(*base_sheet) / compute_of(sheet));
    std::string const origin = "assumed: A100's, in proportion to memory bandwidth and "
                               "multiprocessors times clock of the data sheets";
    profile->name = sheet.name;
    profile->description = "NVIDIA " + sheet.name + ", from its data sheet";
    for (ProfileConstant const& constant : constants_of(*profile)) {
        double const factor = constant.unit.starts_with("ps/") ? slower
                              : constant.unit == "GB/s"        ? 1.0 / memory
                                                               : 1.0;
        *constant.value = rounded(*constant.value * factor);
        profile->origins[constant.name] = origin;
        if (constant.unit == "times") {
            *constant.value = 1.0; // unknown clock behaviour
        }
    }
    if (sheet.sm < first_sm_as_measured) {
        for (char const* const name :
             {"key32.sort_base", "key32.sort_pass", "key64.sort_base", "key64.sort_pass"}) {
            profile->origins[name] =
                origin + ", where CUB of CUDA 11.4 sorted; over 1.3, as today's CUB is faster";
        }
        for (KeyWidthCosts* const costs : {&profile->key32, &profile->key64}) {
            costs->sort_base_ps = rounded(costs->sort_base_ps / newer_library);
            costs->sort_pass_ps = rounded(costs->sort_pass_ps / newer_library);
        }
    }
    profile->warm_up_ms = 0.0;
    return *profile;
}

} // namespace keyswap::simulator
