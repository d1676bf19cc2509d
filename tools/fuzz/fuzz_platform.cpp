#include "simulator/cost/device_profile.hpp"
#include "simulator/cost/host_profile.hpp"
#include "simulator/dumps/build_platform.hpp"
#include "simulator/dumps/describe_platform.hpp"
#include "simulator/dumps/import_topology.hpp"
#include "simulator/dumps/write_dumps.hpp"
#include "simulator/platform/platform.hpp"
#include "simulator/platform/topology_draw.hpp"
#include "tools/fuzz/fuzzing.hpp"

#include <string_view>

namespace {

using namespace keyswap;
using namespace keyswap::fuzzing;
using namespace keyswap::simulator;

/// A valid platform survives a round trip.
void check(Expected<Platform> const& platform, std::string_view text) {
    if (!platform) {
        require_message(platform.error(), text);
        return;
    }
    auto const again = parse_platform(write_platform(*platform), "written");
    require(again.has_value() && *again == *platform, "a platform is read again as it was written");
}

/// A valid dump survives a round trip.
void check_round_trip(MachineDump const& dump,
                      decltype(write_nccl_xml)* write,
                      decltype(read_nccl_xml)* read) {
    auto const text = write(dump);
    if (!text) {
        return; // not representable in this format
    }
    auto const again = read(*text, "written", {});
    require(again.has_value() && again->gpus.size() == dump.gpus.size(),
            "a dump that was written can be read");
    auto const text_again = write(*again);
    require(text_again.has_value(), "what was read from a dump can be written as one");
    auto const third = read(*text_again, "written again", {});
    require(third.has_value() && *write(*third) == *text_again,
            "a machine is read again as it was written");
}

/// An imported platform is valid, and describes the same machine after an export.
void check_dump(std::string_view text, decltype(read_nccl_xml)* read, bool is_table) {
    auto const dump = read(text, "fuzz", {});
    if (!dump) {
        require_message(dump.error(), text);
        return;
    }
    auto const imported = import_machine(*dump, "fuzz", {});
    if (!imported) {
        require_message(imported.error(), text);
        return;
    }
    check(imported->platform, text);
    check_round_trip(*dump, write_nccl_xml, read_nccl_xml);
    if (is_table) {
        check_round_trip(*dump, write_nvidia_smi, read_nvidia_smi);
    }
    auto const described = describe_platform(build_platform(*dump, "built"));
    require(described.has_value(), "what was built from a dump can be described as one");
    check_round_trip(*described, write_nccl_xml, read_nccl_xml);
}

void check(Expected<DeviceProfile> const& profile, std::string_view input) {
    if (!profile) {
        require_message(profile.error(), input);
        return;
    }
    std::string const text = write_device_profile(*profile);
    auto const again = parse_device_profile(text, "written");
    require(again.has_value() && write_device_profile(*again) == text,
            "a profile is read again as it was written");
}

/// A valid table of rates survives a round trip.
void check_link_use(std::string_view text) {
    static auto const platform = load_platform("pcie-4gpu");
    require(platform.has_value(), "a shipped platform can be read");
    auto const use = parse_link_use(text, "fuzz", *platform);
    if (!use) {
        require_message(use.error(), text);
        return;
    }
    require(!draw_topology(*platform, *use).empty(), "a platform can be drawn with any rates");
    for (auto const& [name, rate] : *use) {
        bool const known = std::ranges::any_of(
            platform->links, [&name = name](Link const& link) { return link.name == name; });
        require(known && rate >= 0.0, "a rate is of a link, and no less than nothing");
    }
}

} // namespace

/// First byte: kind of file (device profile, host profile, platform, dump to import, table of link
/// rates).
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    std::string_view const text(reinterpret_cast<char const*>(data) + 1, size - 1);
    switch (data[0] % 6) {
    case 0:
        check(parse_device_profile(text, "fuzz"), text);
        break;
    case 1:
        if (auto const profile = parse_host_profile(text, "fuzz"); !profile) {
            require_message(profile.error(), text);
        }
        break;
    case 2:
        check(parse_platform(text, "fuzz"), text);
        break;
    case 3:
        check_dump(text, read_nvidia_smi, true);
        break;
    case 4:
        check_dump(text, read_nccl_xml, false);
        break;
    default:
        check_link_use(text);
        break;
    }
    return 0;
}
