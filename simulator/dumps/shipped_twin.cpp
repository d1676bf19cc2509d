#include "simulator/dumps/shipped_twin.hpp"

#include "simulator/dumps/cpu_sheet.hpp"
#include "simulator/dumps/describe_platform.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <vector>

namespace keyswap::simulator {
namespace {

bool is_near(double one, double other) {
    return std::abs(one - other) <= 0.1 * std::max(one, other);
}

/// CPUs of shipped platforms, as named in devices/cpus.csv. Virtual machines hide theirs.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> shipped_cpus{
    {{"ac922", "POWER9"},
     {"dgx-a100", "EPYC 7002"},
     {"dgx-h100", "Xeon Scalable of generation 4"},
     {"gb200-nvl72", "Grace"},
     {"pcie-4gpu", "EPYC 7002"}}};

/// A dump with its platform.
struct Machine {
    MachineDump const& dump;
    Platform const& platform;
};

bool same_cpus(Machine const& imported, Machine const& shipped) {
    auto const known = std::ranges::find(
        shipped_cpus, shipped.platform.name, [](auto const& entry) { return entry.first; });
    return std::ranges::all_of(imported.dump.cpus, [&](DumpedCpu const& cpu) {
        if (!cpu.model || known == shipped_cpus.end()) {
            return true;
        }
        RecognisedCpu const recognised = recognise_cpu(cpu.model, 4);
        return recognised.exact && recognised.sheet->name == known->second;
    });
}

bool same_gpus(Machine const& imported, Machine const& shipped) {
    for (std::uint32_t gpu = 0; gpu < imported.dump.gpus.size(); ++gpu) {
        Device const& one = device_of(imported.platform, gpu);
        Device const& other = device_of(shipped.platform, gpu);
        if (!is_near(static_cast<double>(one.memory_bytes),
                     static_cast<double>(other.memory_bytes)) ||
            !is_near(static_cast<double>(one.hbm_bandwidth_Bps),
                     static_cast<double>(other.hbm_bandwidth_Bps))) {
            return false;
        }
    }
    return true;
}

/// Compares NVLinks by pair and by switch, and links to the host if the dump has them.
bool same_links(MachineDump const& imported, MachineDump const& shipped) {
    if (imported.peer_nvlinks != shipped.peer_nvlinks) {
        return false;
    }
    for (std::size_t i = 0; i < imported.gpus.size(); ++i) {
        DumpedGpu const& one = imported.gpus[i];
        DumpedGpu const& other = shipped.gpus[i];
        if (one.switch_nvlinks != other.switch_nvlinks) {
            return false;
        }
        if (!imported.has_host_links) {
            continue;
        }
        auto const pcie_Bps = [&](MachineDump const& dump, DumpedGpu const& gpu) {
            return gpu.pcie_Bps.value_or(pcie_x16_Bps(dump.kinds[gpu.kind].sheet.pcie_generation));
        };
        bool const is_on_pcie = one.c2c_Bps == 0 && one.cpu_nvlinks == 0;
        if (one.cpu_nvlinks != other.cpu_nvlinks ||
            !is_near(static_cast<double>(one.c2c_Bps), static_cast<double>(other.c2c_Bps)) ||
            (is_on_pcie && !is_near(static_cast<double>(pcie_Bps(imported, one)),
                                    static_cast<double>(pcie_Bps(shipped, other))))) {
            return false;
        }
    }
    return true;
}

/// True if the imported NUMA nodes are the shipped ones or parts of them: GPUs of one node share a
/// shipped node, and each shipped node is split into equally many, consecutively numbered parts.
/// Nodes without GPUs may be parts of any.
bool same_nodes(MachineDump const& imported, MachineDump const& shipped) {
    std::map<std::uint32_t, std::uint32_t> shipped_of;
    std::map<std::uint32_t, std::set<std::uint32_t>> parts;
    for (std::size_t i = 0; i < imported.gpus.size(); ++i) {
        std::uint32_t const one = imported.gpus[i].above.cpu;
        std::uint32_t const other = shipped.gpus[i].above.cpu;
        if (shipped_of.emplace(one, other).first->second != other ||
            imported.cpus[one].host != shipped.cpus[other].host) {
            return false;
        }
        parts[other].insert(one);
    }
    bool is_ascending = true;
    for (auto part = parts.begin(); part != parts.end() && part != std::prev(parts.end()); ++part) {
        is_ascending &= *part->second.rbegin() < *std::next(part)->second.begin();
    }
    return is_ascending && parts.size() == shipped.cpus.size() &&
           imported.cpus.size() % shipped.cpus.size() == 0 &&
           std::ranges::all_of(parts,
                               [&](auto const& part) {
                                   return part.second.size() == parts.begin()->second.size();
                               }) &&
           (shipped.cpus.size() > 1 || imported.cpus.size() == 1);
}

/// True if the same pairs of GPUs share a PCIe switch.
bool same_switches(MachineDump const& imported, MachineDump const& shipped) {
    using Switches = std::vector<std::uint32_t>;
    auto const share = [](Switches const& one, Switches const& other) {
        return std::ranges::any_of(
            one, [&](std::uint32_t node) { return std::ranges::find(other, node) != other.end(); });
    };
    std::vector<Switches> of_imported;
    std::vector<Switches> of_shipped;
    for (std::size_t i = 0; i < imported.gpus.size(); ++i) {
        of_imported.push_back(pcie_switches_above(imported, i));
        of_shipped.push_back(pcie_switches_above(shipped, i));
    }
    for (std::uint32_t i = 0; i < of_imported.size(); ++i) {
        for (std::uint32_t j = i + 1; j < of_imported.size(); ++j) {
            bool const is_shared = share(of_imported[i], of_imported[j]);
            bool const is_clear = is_shared || !imported.unclear_pairs.contains({i, j});
            if (is_clear && is_shared != share(of_shipped[i], of_shipped[j])) {
                return false;
            }
        }
    }
    return true;
}

bool agree(Machine const& imported, Machine const& shipped) {
    return imported.dump.gpus.size() == shipped.dump.gpus.size() && same_cpus(imported, shipped) &&
           same_gpus(imported, shipped) && same_links(imported.dump, shipped.dump) &&
           same_nodes(imported.dump, shipped.dump) && same_switches(imported.dump, shipped.dump);
}

void mark(Origins& origins, std::string const& shipped, std::string const& assumption) {
    for (auto& [constant, origin] : origins) {
        if (!origin.starts_with("datasheet: NVIDIA")) { // data sheets of a named GPU hold
            origin = "assumed: as on the shipped '" + shipped + "' (" + origin + ")";
        } else if (!assumption.empty()) {
            origin = "assumed: " + assumption + "; " + origin;
        }
    }
}

} // namespace

std::optional<Platform> shipped_twin(MachineDump const& dump, Platform const& imported) {
    // Limits the quadratic comparison of GPUs; no shipped machine has more.
    constexpr std::size_t gpus_most = 128;
    if (imported.gpus.size() > gpus_most) {
        return std::nullopt;
    }
    for (EmbeddedText const& shipped : shipped_platforms()) {
        auto twin = load_platform(shipped.name);
        if (!twin || twin->gpus.size() != imported.gpus.size()) {
            continue;
        }
        auto const described = describe_platform(*twin);
        if (!described || !agree({dump, imported}, {*described, *twin})) {
            continue;
        }
        for (Cpu& cpu : twin->cpus) {
            mark(cpu.origins, twin->name, "");
        }
        for (LinkKind& kind : twin->link_kinds) {
            mark(kind.origins, twin->name, "");
        }
        for (Device& device : twin->devices) {
            mark(device.origins, twin->name, dump.kinds.front().assumption);
        }
        twin->description = imported.description + "; what the dump lacks is as on the shipped '" +
                            twin->name + "', which has the same GPUs, NVLinks and NUMA nodes";
        twin->name = imported.name;
        return *twin;
    }
    return std::nullopt;
}

} // namespace keyswap::simulator
