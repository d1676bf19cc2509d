#include "simulator/platform/platform.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace keyswap::simulator {
namespace {

std::uint64_t bandwidth() {
    return *rc::gen::inRange<std::uint64_t>(1'000'000, 9'000'000'000'000);
}
double part() {
    return *rc::gen::inRange(1'000, 1'000'000) / 1e6;
}

std::string origin() {
    std::string const word =
        *rc::gen::element<std::string>("datasheet", "published", "measured", "assumed");
    return word + ": " + *rc::gen::nonEmpty(rc::gen::string<std::string>());
}

/// Valid UTF-8 is what TOML takes: printable ASCII with what needs escapes.
std::string name(std::string const& prefix, std::size_t i) {
    return prefix + *rc::gen::element<std::string>("", " \"x\"", "\\", "\t") + std::to_string(i);
}

void set_origins(Origins& origins, std::initializer_list<char const*> constants) {
    for (char const* constant : constants) {
        std::string text = origin();
        for (char& c : text) {
            c = c < 0x20 || c > 0x7e ? '?' : c; // origins are free text; bytes above are no UTF-8
        }
        origins[constant] = text;
    }
}

/// One device, some CPUs in a chain, GPUs on CPUs.
Platform random_platform() {
    Platform platform;
    platform.name = "random";
    platform.description = *rc::gen::element<std::string>("", "quotes \" and \\ and \n lines");
    Device device;
    device.name = "D";
    device.profile = "P";
    device.memory_bytes = *rc::gen::inRange<std::uint64_t>(0, 1ULL << 40);
    device.hbm_bandwidth_Bps = bandwidth();
    device.hbm_efficiency = part();
    device.engines_peer = *rc::gen::inRange<std::uint32_t>(2, 9);
    device.copy_rate_max_Bps = bandwidth();
    set_origins(device.origins,
                {"memory", "hbm_bandwidth", "hbm_efficiency", "engines_peer", "copy_rate_max"});
    platform.devices.push_back(device);
    LinkKind kind;
    kind.name = "kind";
    kind.bandwidth_Bps = bandwidth();
    kind.latency = SimTime{*rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000)};
    set_origins(kind.origins, {"bandwidth", "latency"});
    if (*rc::gen::arbitrary<bool>()) {
        kind.bandwidth_back_Bps = bandwidth();
        kind.efficiency = part();
        kind.efficiency_back = part();
        kind.efficiency_pieces = part();
        kind.efficiency_peer = part();
        kind.efficiency_single_read = part();
        kind.efficiency_shared_read = part();
        kind.efficiency_shared_write = part();
        set_origins(kind.origins,
                    {"bandwidth_back",
                     "efficiency",
                     "efficiency_back",
                     "efficiency_pieces",
                     "efficiency_peer",
                     "efficiency_single_read",
                     "efficiency_shared_read",
                     "efficiency_shared_write"});
    }
    platform.link_kinds.push_back(kind);
    auto const cpus = *rc::gen::inRange<std::size_t>(1, 4);
    for (std::size_t i = 0; i < cpus; ++i) {
        Cpu cpu;
        cpu.name = name("cpu", i);
        cpu.socket = static_cast<std::uint32_t>(i);
        cpu.machine = static_cast<std::uint32_t>(i / 2);
        cpu.memory_bytes = *rc::gen::inRange<std::uint64_t>(0, 1ULL << 42);
        cpu.memory_read_Bps = bandwidth();
        cpu.memory_write_Bps = bandwidth();
        set_origins(cpu.origins, {"memory", "memory_read", "memory_write"});
        if (*rc::gen::arbitrary<bool>()) {
            cpu.position = std::array{part(), -2.0};
        }
        platform.cpus.push_back(cpu);
        if (i > 0) {
            platform.links.push_back(
                Link{name("bus", i), "kind", platform.cpus[i - 1].name, cpu.name});
        }
    }
    auto const gpus = *rc::gen::inRange<std::size_t>(0, 6);
    for (std::size_t i = 0; i < gpus; ++i) {
        platform.gpus.push_back(Gpu{name("gpu", i), "D", std::nullopt});
        platform.links.push_back(
            Link{name("pcie", i), "kind", platform.cpus[i % cpus].name, platform.gpus.back().name});
    }
    return platform;
}

RC_GTEST_PROP(PlatformProperty, AWrittenPlatformReadsBackEqual, ()) {
    Platform const platform = random_platform();
    auto const again = parse_platform(write_platform(platform), "random.toml");
    if (!again) {
        RC_FAIL(again.error().message());
    }
    RC_ASSERT(*again == platform);
}

} // namespace
} // namespace keyswap::simulator
