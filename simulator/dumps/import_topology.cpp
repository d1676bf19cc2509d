#include "simulator/dumps/import_topology.hpp"

#include "simulator/dumps/build_platform.hpp"
#include "simulator/dumps/shipped_twin.hpp"
#include "traces/errors/try.hpp"

#include <map>

namespace keyswap::simulator {

Expected<ImportedPlatform>
import_machine(MachineDump const& dump, std::string_view file, ImportOptions const& options) {
    // Writes and parses the platform, so that an import is valid or reports the mistake.
    auto read = parse_platform(write_platform(build_platform(dump, options.platform_name)),
                               "the imported platform");
    if (!read) {
        return input_error(file,
                           "is not a valid platform: " + read.error().message(),
                           "check that the text is complete");
    }
    auto twin = shipped_twin(dump, *read);
    return ImportedPlatform{twin ? std::move(*twin) : std::move(*read), dump.notes};
}

Expected<ImportedPlatform>
import_nvidia_smi(std::string_view text, std::string_view file, ImportOptions const& options) {
    return read_nvidia_smi(text, file, options).and_then([&](MachineDump const& dump) {
        return import_machine(dump, file, options);
    });
}

Expected<ImportedPlatform>
import_nccl_xml(std::string_view text, std::string_view file, ImportOptions const& options) {
    return read_nccl_xml(text, file, options).and_then([&](MachineDump const& dump) {
        return import_machine(dump, file, options);
    });
}

std::vector<std::string> assumptions_of(Platform const& platform) {
    std::vector<std::string> lines;
    auto const add = [&](std::string const& of, Origins const& origins) {
        std::map<std::string, std::string> by_origin;
        for (auto const& [constant, origin] : origins) {
            if (origin.starts_with("assumed")) {
                std::string& constants = by_origin[origin];
                constants += (constants.empty() ? "" : ", ") + constant;
            }
        }
        for (auto const& [origin, constants] : by_origin) {
            lines.push_back(of + ": " + constants + ": " + origin);
        }
    };
    for (Device const& device : platform.devices) {
        add(device.name, device.origins);
    }
    // NUMA nodes with the same origins are represented by the first one.
    for (std::size_t i = 0; i < platform.cpus.size(); ++i) {
        bool const alike = i > 0 && platform.cpus[i].origins == platform.cpus[0].origins;
        if (!alike) {
            add(platform.cpus[i].name, platform.cpus[i].origins);
        }
    }
    for (LinkKind const& kind : platform.link_kinds) {
        add(kind.name, kind.origins);
    }
    return lines;
}

} // namespace keyswap::simulator
