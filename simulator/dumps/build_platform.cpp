#include "simulator/dumps/build_platform.hpp"

#include "simulator/dumps/cpu_sheet.hpp"
#include "simulator/platform/units.hpp"

#include <algorithm>

namespace keyswap::simulator {
namespace {

constexpr std::uint64_t GB = 1'000'000'000; ///< bytes

constexpr char const* usual_efficiency = "assumed: the part that links of its kind reach";
constexpr char const* streaming_efficiency = "assumed: as streaming benchmarks reach";

/// Achieved fraction, measured on H200 and A100 servers.
double pcie_efficiency(std::uint64_t bandwidth_Bps) {
    return bandwidth_Bps > pcie_x16_Bps(4) ? 0.86 : 0.82;
}

/// Achieved fraction: 391 to 396 of 450 GB/s on H200; A100 likewise.
double nvlink_efficiency(GpuSheet const& sheet) {
    return sheet.pcie_generation >= 5 ? 0.87 : 0.82;
}

/// Achieved fraction of both directions' sum if a link to a host is used both ways at once.
struct BothWays {
    double efficiency = 1.0;
    char const* origin = "";
};
constexpr BothWays pcie_both_ways{
    0.57,
    "assumed: between public figures of eight H800, 33.5 GB/s in and 22.5 out at once each, and of "
    "one A100's part"};
/// For GPUs that send to each other over PCIe: a smaller loss than with host memory.
constexpr BothWays shared_pcie_both_ways{
    0.68,
    "assumed: between what host memory leaves of both directions at once, 0.57, and what one "
    "direction reaches"};
constexpr BothWays c2c_both_ways{
    0.76, "assumed: as public figures of C2C, 172 and 171 GB/s at once where one way gives 202"};
constexpr BothWays power_both_ways{
    0.82, "assumed: both directions at once give 1.7 times one, as public figures of C2C"};

/// Copies between GPUs of different sockets over PCIe, relative to what a GPU's own link reaches:
/// two root complexes forward each packet.
constexpr double peer_across_sockets = 0.82;

class PlatformBuilder {
  public:
    PlatformBuilder(MachineDump const& dump, std::string const& name) : dump_(dump) {
        platform_.name = name;
        platform_.description = "imported from " + dump.source;
        for (std::string const& note : dump.notes) {
            platform_.description += "; " + note;
        }
    }

    Platform build() {
        for (GpuKind const& kind : dump_.kinds) {
            add_device(kind);
        }
        for (std::size_t i = 0; i < dump_.cpus.size(); ++i) {
            add_cpu(i);
        }
        join_cpus();
        for (DumpedBridge const& bridge : dump_.bridges) {
            add_bridge(bridge);
        }
        for (std::size_t i = 0; i < dump_.gpus.size(); ++i) {
            add_gpu(i);
        }
        for (DumpedAdapter const& adapter : dump_.adapters) {
            add_adapter(adapter);
        }
        for (std::size_t i = 0; i < dump_.gpus.size(); ++i) {
            add_nvswitch_links(i);
        }
        for (auto const& [pair, count] : dump_.peer_nvlinks) {
            GpuSheet const& one = sheet_of(dump_, pair.first);
            GpuSheet const& other = sheet_of(dump_, pair.second);
            add_link(nvlink_kind(count, one.nvlink_Bps <= other.nvlink_Bps ? one : other).name,
                     ports_[pair.first],
                     ports_[pair.second]);
        }
        return std::move(platform_);
    }

  private:
    void add_device(GpuKind const& kind) {
        Device device = device_of_sheet(kind.sheet);
        if (!kind.assumption.empty()) {
            for (auto& [constant, origin] : device.origins) {
                origin = origin.starts_with("assumed")
                             ? origin
                             : "assumed: " + kind.assumption + "; " + origin;
            }
        }
        platform_.devices.push_back(std::move(device));
    }

    /// Newest PCIe generation of the GPUs below a NUMA node, or of all GPUs.
    [[nodiscard]] int pcie_generation(std::optional<std::size_t> cpu) const {
        int generation = 0;
        for (std::size_t i = 0; i < dump_.gpus.size(); ++i) {
            if (!cpu || dump_.gpus[i].above.cpu == *cpu) {
                generation = std::max(generation, sheet_of(dump_, i).pcie_generation);
            }
        }
        return generation > 0 ? generation : pcie_generation(std::nullopt);
    }

    [[nodiscard]] RecognisedCpu host_of(std::size_t cpu) const {
        return recognise_cpu(dump_.cpus[cpu].model, pcie_generation(cpu));
    }

    void add_cpu(std::size_t i) {
        RecognisedCpu const host = host_of(i);
        Cpu cpu;
        cpu.name = "cpu" + std::to_string(i);
        cpu.socket = static_cast<std::uint32_t>(i);
        cpu.machine = dump_.cpus[i].host;
        cpu.memory_bytes = 512 * GB;
        cpu.memory_read_Bps = host.sheet->memory_Bps;
        cpu.memory_write_Bps = host.sheet->memory_Bps;
        cpu.memory_read_efficiency = 0.85;
        cpu.memory_write_efficiency = 0.7;
        std::string const origin =
            "assumed: " + std::string(host.sheet->memory) + ", " + host.reason;
        cpu.origins = {{"memory", "assumed: a usual size"},
                       {"memory_read", origin},
                       {"memory_write", origin},
                       {"memory_read_efficiency", streaming_efficiency},
                       {"memory_write_efficiency", streaming_efficiency}};
        platform_.cpus.push_back(std::move(cpu));
    }

    /// Links the NUMA nodes of each host in a chain.
    void join_cpus() {
        for (std::size_t i = 1; i < dump_.cpus.size(); ++i) {
            if (dump_.cpus[i].host != dump_.cpus[i - 1].host) {
                continue;
            }
            RecognisedCpu const host = host_of(i);
            std::string const kind = dump_.cpus[i].model == dump_.cpus[0].model
                                         ? "socket"
                                         : "socket of " + std::string(host.sheet->name);
            LinkKind& socket =
                link_kind(kind, host.sheet->socket_Bps, host.sheet->socket_efficiency);
            socket.origins["bandwidth"] =
                "assumed: " + std::string(host.sheet->socket) + ", " + host.reason;
            socket.origins["efficiency"] = "assumed: " + std::string(host.sheet->socket_reason);
            limit_peers(socket, pcie_generation(i));
            add_link(kind, platform_.cpus[i - 1].name, platform_.cpus[i].name);
        }
    }

    LinkKind& link_kind(std::string const& name, std::uint64_t bandwidth_Bps, double efficiency) {
        auto const known = std::ranges::find(platform_.link_kinds, name, &LinkKind::name);
        if (known != platform_.link_kinds.end()) {
            return *known;
        }
        LinkKind kind;
        kind.name = name;
        kind.bandwidth_Bps = bandwidth_Bps;
        kind.efficiency = efficiency;
        kind.latency = microseconds(1);
        kind.origins = {{"efficiency", usual_efficiency}, {"latency", "assumed: a microsecond"}};
        platform_.link_kinds.push_back(std::move(kind));
        return platform_.link_kinds.back();
    }

    /// Limits copies between sockets for GPUs that reach each other only over PCIe.
    void limit_peers(LinkKind& socket, int generation) const {
        std::uint64_t const link_Bps = pcie_x16_Bps(generation);
        double const reached = peer_across_sockets * pcie_efficiency(link_Bps) *
                               static_cast<double>(link_Bps) /
                               static_cast<double>(socket.bandwidth_Bps);
        if (peers_use_pcie() && reached < 1.0) {
            socket.efficiency_single_peer = reached;
            socket.origins["efficiency_single_peer"] =
                "assumed: 0.82 of what PCIe " + std::to_string(generation) +
                ".0 x16 reaches, as public figures of two RTX A6000 on two sockets";
        }
    }

    [[nodiscard]] bool peers_use_pcie() const {
        return dump_.peer_nvlinks.empty() &&
               std::ranges::all_of(dump_.gpus, [](DumpedGpu const& gpu) {
                   return gpu.switch_nvlinks.empty() && gpu.c2c_Bps == 0 && gpu.cpu_nvlinks == 0;
               });
    }

    static void share_directions(LinkKind& kind, BothWays const& both) {
        kind.bandwidth_total_Bps = 2 * kind.bandwidth_Bps;
        kind.efficiency_total = both.efficiency;
        kind.origins["bandwidth_total"] = "datasheet: both directions";
        kind.origins["efficiency_total"] = both.origin;
    }

    void add_link(std::string const& kind, std::string const& from, std::string const& to) {
        platform_.links.push_back(Link{kind + " " + from + "-" + to, kind, from, to});
    }

    /// \param generation of the device below, used if the dump states no bandwidth
    LinkKind& pcie_kind(std::optional<std::uint64_t> bandwidth_Bps,
                        int generation,
                        std::string const& use = "") {
        std::uint64_t const each_way_Bps = bandwidth_Bps.value_or(pcie_x16_Bps(generation));
        LinkKind& kind = link_kind((bandwidth_Bps ? "pcie " + format_bandwidth(*bandwidth_Bps)
                                                  : "pcie" + std::to_string(generation)) +
                                       use,
                                   each_way_Bps,
                                   pcie_efficiency(each_way_Bps));
        kind.origins["bandwidth"] =
            bandwidth_Bps
                ? "measured: link speed and width as " + dump_.source + " has them, before encoding"
                : "assumed: PCIe " + std::to_string(generation) +
                      ".0 x16 of the GPU's data sheet, and a slot as wide";
        return kind;
    }

    /// Link above a GPU or bridge. Only links that end at a CPU lose bandwidth in simultaneous
    /// directions: below a bridge, GPUs and adapters send to each other at full rate.
    LinkKind& pcie_kind_below(DumpedPlace const& above,
                              std::optional<std::uint64_t> bandwidth_Bps,
                              int generation) {
        if (above.bridge) {
            return pcie_kind(bandwidth_Bps, generation);
        }
        LinkKind& kind = pcie_kind(bandwidth_Bps, generation, " to a CPU");
        share_directions(kind, peers_use_pcie() ? shared_pcie_both_ways : pcie_both_ways);
        return kind;
    }

    LinkKind& nvlink_kind(std::uint32_t count, GpuSheet const& sheet, std::string const& use = "") {
        bool const is_uniform = std::ranges::all_of(dump_.kinds, [&](GpuKind const& kind) {
            return kind.sheet.nvlink_Bps == sheet.nvlink_Bps;
        });
        std::string const name = "nvlink x" + std::to_string(count) +
                                 (is_uniform ? "" : " of " + format_bandwidth(sheet.nvlink_Bps)) +
                                 use;
        LinkKind& kind = link_kind(name, count * sheet.nvlink_Bps, nvlink_efficiency(sheet));
        kind.origins["bandwidth"] =
            "datasheet: NVLink links of this generation, counted by " + dump_.source;
        return kind;
    }

    [[nodiscard]] std::string node_of(DumpedPlace const& place) const {
        return place.bridge ? dump_.bridges[*place.bridge].name : platform_.cpus[place.cpu].name;
    }

    void add_bridge(DumpedBridge const& bridge) {
        platform_.switches.push_back(Switch{bridge.name, std::nullopt, std::nullopt});
        int const generation = pcie_generation(bridge.above.cpu);
        add_link(pcie_kind_below(bridge.above, bridge.pcie_Bps, generation).name,
                 node_of(bridge.above),
                 bridge.name);
    }

    /// True if the GPU needs a crossbar node, since GPUs do not forward: other GPUs or machines
    /// reach a CPU over the GPU's NVLinks.
    [[nodiscard]] bool has_crossbar(DumpedGpu const& gpu) const {
        return gpu.c2c_Bps > 0 || has_several_hosts(dump_);
    }

    void add_gpu(std::size_t i) {
        DumpedGpu const& gpu = dump_.gpus[i];
        GpuSheet const& sheet = sheet_of(dump_, i);
        std::string const name = "gpu" + std::to_string(i);
        platform_.gpus.push_back(Gpu{name, platform_.devices[gpu.kind].name, std::nullopt});
        std::string port = name;
        if (has_crossbar(gpu)) {
            port = "xbar" + std::to_string(i);
            platform_.switches.push_back(Switch{port, std::nullopt, std::nullopt});
            LinkKind& crossbar = link_kind("crossbar", 4'000 * GB, 1.0);
            crossbar.latency = SimTime{};
            crossbar.origins = {{"bandwidth", "assumed: never the limit"},
                                {"efficiency", "assumed: never the limit"},
                                {"latency", "assumed: never the limit"}};
            add_link("crossbar", port, name);
        }
        ports_.push_back(port);
        if (gpu.c2c_Bps > 0) {
            std::string const kind = "c2c " + format_bandwidth(gpu.c2c_Bps);
            LinkKind& c2c = link_kind(kind, gpu.c2c_Bps, 0.9);
            c2c.latency = nanoseconds(500);
            c2c.origins = {
                {"bandwidth",
                 "measured: bw and count of NVLink-C2C as " + dump_.source + " has them"},
                {"efficiency", "assumed: little protocol overhead on package"},
                {"latency", "assumed: half a microsecond"}};
            share_directions(c2c, c2c_both_ways);
            add_link(kind, platform_.cpus[gpu.above.cpu].name, port);
        } else if (gpu.cpu_nvlinks > 0) {
            LinkKind& kind = nvlink_kind(gpu.cpu_nvlinks, sheet, " to a CPU");
            share_directions(kind, power_both_ways);
            add_link(kind.name, platform_.cpus[gpu.above.cpu].name, port);
        } else {
            LinkKind const& kind = pcie_kind_below(gpu.above, gpu.pcie_Bps, sheet.pcie_generation);
            add_link(kind.name, node_of(gpu.above), port);
        }
    }

    /// Rails are numbered in the order of the dump.
    void add_adapter(DumpedAdapter const& dumped) {
        Switch adapter;
        adapter.name = "nic" + std::to_string(rails_);
        adapter.rail = rails_++;
        adapter.rail_Bps = dumped.rail_Bps;
        add_link(pcie_kind(dumped.pcie_Bps, pcie_generation(dumped.above.cpu)).name,
                 node_of(dumped.above),
                 adapter.name);
        platform_.switches.push_back(std::move(adapter));
    }

    void add_nvswitch_links(std::size_t i) {
        for (auto const& [number, count] : dump_.gpus[i].switch_nvlinks) {
            std::string const name = number == 0 ? "nvswitch" : "nvswitch" + std::to_string(number);
            if (std::ranges::find(platform_.switches, name, &Switch::name) ==
                platform_.switches.end()) {
                platform_.switches.push_back(Switch{name, std::nullopt, std::nullopt});
            }
            add_link(nvlink_kind(count, sheet_of(dump_, i)).name, ports_[i], name);
        }
    }

    MachineDump const& dump_;
    Platform platform_;
    std::vector<std::string> ports_; ///< [gpu] node at which its links end
    std::uint32_t rails_ = 0;
};

} // namespace

Platform build_platform(MachineDump const& dump, std::string const& name) {
    return PlatformBuilder(dump, name).build();
}

} // namespace keyswap::simulator
