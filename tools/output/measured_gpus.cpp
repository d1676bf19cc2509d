#include "tools/output/measured_gpus.hpp"

#include "simulator/platform/gpu_sheet.hpp"
#include "tools/output/captured_output.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/printable_text.hpp"

#include <ostream>

namespace keyswap::tools {

std::set<std::string> gpu_names(std::span<Measurement const> runs) {
    std::set<std::string> names;
    for (Measurement const& run : runs) {
        if (!run.gpus.empty()) {
            names.insert(run.device_name);
        }
    }
    return names;
}

void remark_other_gpus(std::set<std::string> const& names,
                       std::string const& file,
                       simulator::Platform const& platform) {
    std::set<std::string> models; // of the platform, by data sheet
    std::set<std::string> devices;
    for (simulator::Device const& device : platform.devices) {
        auto const sheet = simulator::find_gpu_sheet(device.name);
        if (!sheet) {
            return;
        }
        models.insert(sheet->name);
        devices.insert(device.name);
    }
    std::set<std::string> others;
    for (std::string const& name : names) {
        auto const sheet = simulator::find_gpu_sheet(name);
        if (sheet && !models.contains(sheet->name)) {
            others.insert(name);
        }
    }
    if (!others.empty()) {
        remark_stream() << "Note: " << printable_text(file) << " was measured on "
                        << printable_text(joined_text(others, ", ")) << ", but "
                        << printable_text(platform.name) << " has "
                        << printable_text(joined_text(devices, ", ")) << ".\n";
    }
}

} // namespace keyswap::tools
