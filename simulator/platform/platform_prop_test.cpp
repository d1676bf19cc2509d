#include "simulator/platform/link_losses.hpp"
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

/// A text valid in TOML: printable ASCII, including characters that need escapes.
std::string name(std::string const& prefix, std::size_t i) {
    return prefix + *rc::gen::element<std::string>("", " \"x\"", "\\", "\t") + std::to_string(i);
}

void set_origins(Origins& origins, std::initializer_list<char const*> constants) {
    for (char const* constant : constants) {
        std::string text = origin();
        for (char& c : text) {
            c = c < 0x20 || c > 0x7e ? '?' : c; // bytes above 0x7e are not UTF-8
        }
        origins[constant] = text;
    }
}

/// A value from `generator`, or nullopt.
template <class Make>
auto maybe(Make const& make) -> std::optional<decltype(make())> {
    return *rc::gen::arbitrary<bool>() ? std::optional(make()) : std::nullopt;
}

Position any_position() {
    return maybe([] { return std::array{part(), -2.0}; });
}

/// 1 half of the time, like constants that files omit.
std::uint32_t engines() {
    return *rc::gen::element<std::uint32_t>(1, 1, 2, 9);
}

Device random_device() {
    Device device;
    device.name = "D";
    device.profile = "P";
    device.memory_bytes = *rc::gen::inRange<std::uint64_t>(0, 1ULL << 40);
    device.hbm_bandwidth_Bps = bandwidth();
    device.hbm_efficiency = part();
    device.engines_to_device = engines();
    device.engines_to_host = engines();
    device.engines_peer = engines();
    device.copy_rate_max_Bps = maybe(bandwidth);
    set_origins(device.origins, {"memory", "hbm_bandwidth", "hbm_efficiency"});
    // A factor of 1 is written only if it has an origin.
    for (auto const& [constant, value] : {std::pair{"engines_to_device", device.engines_to_device},
                                          std::pair{"engines_to_host", device.engines_to_host},
                                          std::pair{"engines_peer", device.engines_peer}}) {
        if (value != 1 || *rc::gen::arbitrary<bool>()) {
            set_origins(device.origins, {constant});
        }
    }
    if (device.copy_rate_max_Bps) {
        set_origins(device.origins, {"copy_rate_max"});
    }
    return device;
}

LinkKind random_link_kind() {
    LinkKind kind;
    kind.name = "kind";
    kind.bandwidth_Bps = bandwidth();
    kind.latency = SimTime{*rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000)};
    set_origins(kind.origins, {"bandwidth", "latency"});
    if (*rc::gen::arbitrary<bool>()) {
        kind.bandwidth_back_Bps = bandwidth();
        kind.bandwidth_total_Bps =
            std::max({kind.bandwidth_Bps, *kind.bandwidth_back_Bps, bandwidth()});
        set_origins(kind.origins, {"bandwidth_back", "bandwidth_total"});
    }
    if (*rc::gen::arbitrary<bool>()) {
        kind.efficiency_back = part();
        set_origins(kind.origins, {"efficiency_back"});
    }
    auto const set = [&kind](char const* constant, double LinkKind::*field) {
        if (*rc::gen::arbitrary<bool>()) {
            kind.*field = part();
            set_origins(kind.origins, {constant});
        }
    };
    set("efficiency", &LinkKind::efficiency);
    set("efficiency_total", &LinkKind::efficiency_total);
    for (auto const& [constant, field] : link_losses) {
        set(constant, field);
    }
    return kind;
}

Cpu random_cpu(std::size_t i) {
    Cpu cpu;
    cpu.name = name("cpu", i);
    cpu.socket = static_cast<std::uint32_t>(i);
    cpu.machine = static_cast<std::uint32_t>(i / 2);
    cpu.memory_bytes = *rc::gen::inRange<std::uint64_t>(0, 1ULL << 42);
    cpu.memory_read_Bps = bandwidth();
    cpu.memory_write_Bps = bandwidth();
    set_origins(cpu.origins, {"memory", "memory_read", "memory_write"});
    if (*rc::gen::arbitrary<bool>()) {
        cpu.memory_total_Bps = std::max({cpu.memory_read_Bps, cpu.memory_write_Bps, bandwidth()});
        cpu.memory_total_efficiency = part();
        cpu.memory_write_cost = 1.0 + part();
        set_origins(cpu.origins, {"memory_total", "memory_total_efficiency", "memory_write_cost"});
    }
    if (*rc::gen::arbitrary<bool>()) {
        cpu.memory_read_efficiency = part();
        cpu.memory_write_efficiency = part();
        set_origins(cpu.origins, {"memory_read_efficiency", "memory_write_efficiency"});
    }
    cpu.position = any_position();
    return cpu;
}

/// One device, some CPUs in a chain, GPUs and switches on CPUs; the file prescribes the last GPU's
/// route to its CPU.
Platform random_platform() {
    Platform platform;
    platform.name = "random";
    platform.description = *rc::gen::element<std::string>("", "quotes \" and \\ and \n lines");
    platform.devices.push_back(random_device());
    platform.link_kinds.push_back(random_link_kind());
    auto const cpus = *rc::gen::inRange<std::size_t>(1, 4);
    for (std::size_t i = 0; i < cpus; ++i) {
        platform.cpus.push_back(random_cpu(i));
        if (i > 0) {
            platform.links.push_back(
                Link{name("bus", i), "kind", platform.cpus[i - 1].name, platform.cpus[i].name});
        }
    }
    auto const switches = *rc::gen::inRange<std::size_t>(0, 3);
    for (std::size_t i = 0; i < switches; ++i) {
        Switch node{name("switch", i), std::nullopt, any_position(), std::nullopt};
        node.rail = maybe([] { return *rc::gen::inRange<std::uint32_t>(0, 9); });
        node.rail_Bps = maybe(bandwidth);
        platform.switches.push_back(node);
        platform.links.push_back(
            Link{name("up", i), "kind", platform.cpus[i % cpus].name, node.name});
    }
    auto const gpus = *rc::gen::inRange<std::size_t>(0, 6);
    for (std::size_t i = 0; i < gpus; ++i) {
        platform.gpus.push_back(Gpu{name("gpu", i), "D", any_position()});
        platform.links.push_back(
            Link{name("pcie", i), "kind", platform.cpus[i % cpus].name, platform.gpus.back().name});
    }
    if (gpus > 0) {
        Link const& last = platform.links.back();
        platform.routes.push_back(GivenRoute{last.to, last.from, {last.name}});
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
