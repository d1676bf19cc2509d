#include "simulator/platform/import_parts.hpp"

#include "simulator/platform/shipped_twin.hpp"

#include <algorithm>
#include <map>

namespace keyswap::simulator {
namespace {

constexpr std::uint64_t GBps = 1'000'000'000;

/// What servers of a PCIe generation have.
struct ServerOfItsTime {
    std::uint64_t memory_Bps; ///< of a socket
    std::uint64_t socket_Bps;
    double socket_efficiency;
    char const* cpu;
    char const* socket;
};

ServerOfItsTime server_of(GpuSheet const& sheet) {
    if (sheet.pcie_generation >= 5) {
        return {307'200'000'000,
                144 * GBps,
                0.6, // as assumed of a DGX H100
                "8 channels of DDR5-4800, as servers with PCIe 5.0 have",
                "three UPI 2.0 links of 16 GT/s, as servers with PCIe 5.0 have"};
    }
    if (sheet.pcie_generation == 4) {
        return {204'800'000'000,
                102 * GBps,
                0.42, // as measured on a DGX A100
                "8 channels of DDR4-3200, as servers with PCIe 4.0 have",
                "Infinity Fabric of EPYC 7002, as servers with PCIe 4.0 have"};
    }
    return {127'800'000'000,
            62 * GBps,
            0.5, // between what the X-Bus and Infinity Fabric reach
            "6 channels of DDR4-2666, as servers with PCIe 3.0 have",
            "three UPI links of 10.4 GT/s, as servers with PCIe 3.0 have"};
}

constexpr char const* other_origin = "assumed: as streaming benchmarks reach";

} // namespace

Cpu assumed_cpu(std::uint32_t numa_node, GpuSheet const& sheet) {
    ServerOfItsTime const server = server_of(sheet);
    Cpu cpu;
    cpu.name = "cpu" + std::to_string(numa_node);
    cpu.socket = numa_node;
    cpu.memory_bytes = 512 * GBps;
    cpu.memory_read_Bps = server.memory_Bps;
    cpu.memory_write_Bps = server.memory_Bps;
    cpu.memory_read_efficiency = 0.85;
    cpu.memory_write_efficiency = 0.7;
    std::string const origin = std::string("assumed: ") + server.cpu;
    cpu.origins = {{"memory", "assumed: a usual size"},
                   {"memory_read", origin},
                   {"memory_write", origin},
                   {"memory_read_efficiency", other_origin},
                   {"memory_write_efficiency", other_origin}};
    return cpu;
}

double pcie_efficiency(std::uint64_t x16_Bps) {
    return x16_Bps > pcie_x16_Bps(4) ? 0.86 : 0.82; // measured on H200 and A100 servers
}

double nvlink_efficiency(GpuSheet const& sheet) {
    return sheet.pcie_generation >= 5 ? 0.87 : 0.82; // 391 to 396 of 450 GB/s on H200, and on A100
}

std::string add_link_kind(Platform& platform,
                          std::string const& name,
                          std::uint64_t bandwidth_Bps,
                          std::string const& bandwidth_origin,
                          double efficiency) {
    bool const known = std::any_of(platform.link_kinds.begin(),
                                   platform.link_kinds.end(),
                                   [&](LinkKind const& kind) { return kind.name == name; });
    if (!known) {
        LinkKind kind;
        kind.name = name;
        kind.bandwidth_Bps = bandwidth_Bps;
        kind.efficiency = efficiency;
        kind.latency = microseconds(1);
        kind.origins = {{"bandwidth", bandwidth_origin},
                        {"efficiency", "assumed: the part that links of its kind reach"},
                        {"latency", "assumed: a microsecond"}};
        platform.link_kinds.push_back(std::move(kind));
    }
    return name;
}

void add_link(Platform& platform,
              std::string const& kind,
              std::string const& from,
              std::string const& to) {
    platform.links.push_back(Link{kind + " " + from + "-" + to, kind, from, to});
}

void join_cpus(Platform& platform, GpuSheet const& sheet) {
    ServerOfItsTime const server = server_of(sheet);
    for (std::size_t i = 1; i < platform.cpus.size(); ++i) {
        std::string const kind = add_link_kind(platform,
                                               "socket",
                                               server.socket_Bps,
                                               std::string("assumed: ") + server.socket,
                                               server.socket_efficiency);
        add_link(platform, kind, platform.cpus[i - 1].name, platform.cpus[i].name);
    }
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
    // NUMA nodes are alike: the first one speaks for those of the same constants.
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

Expected<Platform> validated_import(Platform const& platform, std::string_view file) {
    auto read = parse_platform(write_platform(platform), "the imported platform");
    if (!read) {
        return tl::unexpected(InputError{std::string(file),
                                         "gives no valid platform: " + read.error().message(),
                                         "see whether the text is whole"});
    }
    return shipped_twin(*read).value_or(*read);
}

} // namespace keyswap::simulator
