#include "simulator/dumps/build_platform.hpp"

#include "simulator/dumps/cpu_sheet.hpp"
#include "simulator/platform/units.hpp"

#include <algorithm>

namespace keyswap::simulator {
namespace {

constexpr std::uint64_t GB = 1'000'000'000; ///< bytes

constexpr char const* usual_efficiency = "assumed: the part that links of its kind reach";
constexpr char const* streaming_efficiency = "assumed: as streaming benchmarks reach";

/// Measured on H200 and A100 servers.
double pcie_efficiency(std::uint64_t bandwidth_Bps) {
    return bandwidth_Bps > pcie_x16_Bps(4) ? 0.86 : 0.82;
}

/// 391 to 396 of 450 GB/s on H200, and on A100.
double nvlink_efficiency(GpuSheet const& sheet) {
    return sheet.pcie_generation >= 5 ? 0.87 : 0.82;
}

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
            add_link(nvlink_kind(count, one.nvlink_Bps <= other.nvlink_Bps ? one : other),
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

    /// Of the GPUs below a NUMA node, else of all.
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

    /// Joins the NUMA nodes of each host in a row.
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

    void add_link(std::string const& kind, std::string const& from, std::string const& to) {
        platform_.links.push_back(Link{kind + " " + from + "-" + to, kind, from, to});
    }

    /// \param generation of the device below, if the dump does not state the bandwidth
    std::string pcie_kind(std::optional<std::uint64_t> bandwidth_Bps, int generation) {
        if (bandwidth_Bps) {
            std::string const name = "pcie " + format_bandwidth(*bandwidth_Bps);
            link_kind(name, *bandwidth_Bps, pcie_efficiency(*bandwidth_Bps)).origins["bandwidth"] =
                "measured: link speed and width as " + dump_.source + " has them, before encoding";
            return name;
        }
        std::string const name = "pcie" + std::to_string(generation);
        std::uint64_t const usual_Bps = pcie_x16_Bps(generation);
        link_kind(name, usual_Bps, pcie_efficiency(usual_Bps)).origins["bandwidth"] =
            "assumed: PCIe " + std::to_string(generation) +
            ".0 x16 of the GPU's data sheet, and a slot as wide";
        return name;
    }

    std::string nvlink_kind(std::uint32_t count, GpuSheet const& sheet) {
        bool const is_uniform = std::ranges::all_of(dump_.kinds, [&](GpuKind const& kind) {
            return kind.sheet.nvlink_Bps == sheet.nvlink_Bps;
        });
        std::string const name = "nvlink x" + std::to_string(count) +
                                 (is_uniform ? "" : " of " + format_bandwidth(sheet.nvlink_Bps));
        link_kind(name, count * sheet.nvlink_Bps, nvlink_efficiency(sheet)).origins["bandwidth"] =
            "datasheet: NVLink links of this generation, counted by " + dump_.source;
        return name;
    }

    [[nodiscard]] std::string node_of(DumpedPlace const& place) const {
        return place.bridge ? dump_.bridges[*place.bridge].name : platform_.cpus[place.cpu].name;
    }

    void add_bridge(DumpedBridge const& bridge) {
        platform_.switches.push_back(Switch{bridge.name, std::nullopt, std::nullopt});
        add_link(pcie_kind(bridge.pcie_Bps, pcie_generation(bridge.above.cpu)),
                 node_of(bridge.above),
                 bridge.name);
    }

    /// GPUs do not forward. Where other GPUs, or other machines, reach a CPU over a GPU's NVLinks,
    /// its crossbar forwards.
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
            add_link(kind, platform_.cpus[gpu.above.cpu].name, port);
        } else if (gpu.cpu_nvlinks > 0) {
            add_link(nvlink_kind(gpu.cpu_nvlinks, sheet), platform_.cpus[gpu.above.cpu].name, port);
        } else {
            add_link(pcie_kind(gpu.pcie_Bps, sheet.pcie_generation), node_of(gpu.above), port);
        }
    }

    /// Rails are numbered in the order of the dump.
    void add_adapter(DumpedAdapter const& dumped) {
        Switch adapter;
        adapter.name = "nic" + std::to_string(rails_);
        adapter.rail = rails_++;
        adapter.rail_Bps = dumped.rail_Bps;
        add_link(pcie_kind(dumped.pcie_Bps, pcie_generation(dumped.above.cpu)),
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
            add_link(nvlink_kind(count, sheet_of(dump_, i)), ports_[i], name);
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
