#include "simulator/cost/device_profile.hpp"
#include "simulator/cost/host_profile.hpp"
#include "simulator/platform/import_topology.hpp"
#include "simulator/platform/platform.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

using namespace keyswap;
using namespace keyswap::simulator;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

/// An error must say something; a platform must read back as it was written.
void check(Expected<Platform> const& platform) {
    if (!platform) {
        require(!platform.error().problem.empty());
        return;
    }
    auto const again = parse_platform(write_platform(*platform), "written");
    require(again.has_value() && *again == *platform);
}

} // namespace

/// The first byte chooses the kind of file: a platform, a device's or a host's profile, or a dump
/// that is imported.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    std::string_view const text(reinterpret_cast<char const*>(data) + 1, size - 1);
    switch (data[0] % 5) {
    case 0:
        check(parse_platform(text, "fuzz"));
        break;
    case 1:
        check(import_nvidia_smi(text, "fuzz", {}));
        break;
    case 2:
        check(import_nccl_xml(text, "fuzz", {}));
        break;
    case 3:
        if (auto const profile = parse_device_profile(text, "fuzz")) {
            require(parse_device_profile(write_device_profile(*profile), "written").has_value());
        }
        break;
    default:
        static_cast<void>(parse_host_profile(text, "fuzz"));
        break;
    }
    return 0;
}
