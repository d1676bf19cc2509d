#include "simulator/platform/import_parts.hpp"

#include <algorithm>
#include <array>

namespace keyswap::simulator {
namespace {

constexpr std::uint64_t GBps = 1'000'000'000;

struct KnownGpu {
    char const* name;
    std::uint64_t memory_bytes;
    std::uint64_t hbm_Bps;
    std::uint64_t nvlink_Bps; ///< one link, one direction
};

constexpr std::array known_gpus{
    KnownGpu{"V100", 32ULL << 30, 900 * GBps, 25 * GBps},
    KnownGpu{"A100", 40ULL << 30, 1555 * GBps, 25 * GBps},
    KnownGpu{"H100", 80ULL << 30, 3350 * GBps, 25 * GBps},
    KnownGpu{"H200", 141 * GBps, 4800 * GBps, 25 * GBps},
    KnownGpu{"B200", 180 * GBps, 8000 * GBps, 50 * GBps},
};

} // namespace

Expected<Device> known_device(std::string const& gpu_name) {
    std::string names;
    for (KnownGpu const& known : known_gpus) {
        names += (names.empty() ? "" : ", ") + std::string(known.name);
        if (gpu_name != known.name) {
            continue;
        }
        Device device;
        device.name = known.name;
        device.profile = known.name;
        device.memory_bytes = known.memory_bytes;
        device.hbm_bandwidth_Bps = known.hbm_Bps;
        std::string const origin = "datasheet: NVIDIA " + gpu_name + ", as named at the import";
        device.origins = {{"memory", origin}, {"hbm_bandwidth", origin}};
        return device;
    }
    return tl::unexpected(
        InputError{gpu_name, "is not a kind of GPU with known figures", "choose one of " + names});
}

std::uint64_t nvlink_Bps(std::string const& gpu_name) {
    auto const known = std::find_if(known_gpus.begin(),
                                    known_gpus.end(),
                                    [&](KnownGpu const& entry) { return gpu_name == entry.name; });
    return known == known_gpus.end() ? 25 * GBps : known->nvlink_Bps;
}

Cpu assumed_cpu(std::uint32_t numa_node) {
    Cpu cpu;
    cpu.name = "cpu" + std::to_string(numa_node);
    cpu.socket = numa_node;
    cpu.memory_bytes = 512 * GBps;
    cpu.memory_read_Bps = 200 * GBps;
    cpu.memory_write_Bps = 200 * GBps;
    std::string const origin = "assumed: the import's source does not tell; replace it";
    cpu.origins = {{"memory", origin}, {"memory_read", origin}, {"memory_write", origin}};
    return cpu;
}

std::string add_link_kind(Platform& platform,
                          std::string const& name,
                          std::uint64_t bandwidth_Bps,
                          std::string const& bandwidth_origin) {
    bool const known = std::any_of(platform.link_kinds.begin(),
                                   platform.link_kinds.end(),
                                   [&](LinkKind const& kind) { return kind.name == name; });
    if (!known) {
        LinkKind kind;
        kind.name = name;
        kind.bandwidth_Bps = bandwidth_Bps;
        kind.latency = microseconds(1);
        kind.origins = {{"bandwidth", bandwidth_origin}, {"latency", "assumed: a microsecond"}};
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

void join_cpus(Platform& platform) {
    for (std::size_t i = 1; i < platform.cpus.size(); ++i) {
        std::string const kind =
            add_link_kind(platform,
                          "socket",
                          64 * GBps,
                          "assumed: the import's source does not tell; replace it");
        add_link(platform, kind, platform.cpus[i - 1].name, platform.cpus[i].name);
    }
}

Expected<Platform> validated_import(Platform const& platform, std::string_view file) {
    auto read = parse_platform(write_platform(platform), "the imported platform");
    if (!read) {
        return tl::unexpected(InputError{std::string(file),
                                         "gives no valid platform: " + read.error().message(),
                                         "see whether the text is whole"});
    }
    return read;
}

} // namespace keyswap::simulator
