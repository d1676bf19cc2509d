#pragma once

/// \file A machine as described by a dump of any program: parts and counts, and only those rates
/// that the dump states. Importers fill it, build_platform() converts it to a platform,
/// describe_platform() does the reverse, and exporters write it.

#include "simulator/platform/gpu_sheet.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::simulator {

/// A CPU as NCCL names it: arch "x86_64", vendor "GenuineIntel", family 6, model 143.
struct CpuModel {
    std::string arch;
    std::string vendor;
    std::uint32_t family = 0; ///< family + 16 * extended family
    std::uint32_t model = 0;
    friend bool operator==(CpuModel const&, CpuModel const&) = default;
};

/// A NUMA node.
struct DumpedCpu {
    std::uint32_t host = 0; ///< number of the machine, from 0
    std::optional<CpuModel> model;
    friend bool operator==(DumpedCpu const&, DumpedCpu const&) = default;
};

/// Parent of a part: a bridge, or the CPU if there is no bridge.
struct DumpedPlace {
    std::uint32_t cpu = 0;
    std::optional<std::uint32_t> bridge;
    friend bool operator==(DumpedPlace const&, DumpedPlace const&) = default;
};

/// A PCIe switch. Bridges above it have lower indices.
struct DumpedBridge {
    std::string name;
    DumpedPlace above;
    std::optional<std::uint64_t> pcie_Bps; ///< of its uplink; nullopt if unknown
    friend bool operator==(DumpedBridge const&, DumpedBridge const&) = default;
};

struct DumpedGpu {
    std::size_t kind = 0; ///< index into MachineDump::kinds
    DumpedPlace above;
    std::optional<std::uint64_t> pcie_Bps; ///< of its own link; nullopt if unknown
    std::uint32_t cpu_nvlinks = 0;         ///< POWER: NVLinks to its CPU instead of PCIe
    std::uint64_t c2c_Bps = 0;             ///< Grace: NVLink-C2C to its CPU instead of PCIe
    std::map<std::uint32_t, std::uint32_t> switch_nvlinks; ///< NVSwitch -> number of NVLinks
    friend bool operator==(DumpedGpu const&, DumpedGpu const&) = default;
};

/// A network adapter.
struct DumpedAdapter {
    DumpedPlace above;
    std::optional<std::uint64_t> pcie_Bps;
    std::optional<std::uint64_t> rail_Bps; ///< bandwidth of its network; nullopt if unknown
    friend bool operator==(DumpedAdapter const&, DumpedAdapter const&) = default;
};

/// A GPU model, and the reason if it was guessed.
struct GpuKind {
    GpuSheet sheet;
    std::string assumption; ///< empty if the dump or the user names the model
};

struct MachineDump {
    std::string source; ///< "nvidia-smi topo -m"
    std::vector<DumpedCpu> cpus;
    std::vector<DumpedBridge> bridges;
    std::vector<GpuKind> kinds;
    std::vector<DumpedGpu> gpus;
    std::vector<DumpedAdapter> adapters;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> peer_nvlinks; ///< lower first
    bool has_host_links = false; ///< true if the dump contains the links from GPUs to hosts
    std::set<std::pair<std::uint32_t, std::uint32_t>> unclear_pairs; ///< GPUs, lower first: the
                                                                     ///< dump hides their bridges
    std::vector<std::string> notes; ///< omissions and contradictions, a sentence each

    /// Adds a note unless it is there already.
    void note(std::string const& sentence);
};

/// Data sheet of a GPU. \pre the dump has the GPU
[[nodiscard]] inline GpuSheet const& sheet_of(MachineDump const& dump, std::size_t gpu) {
    return dump.kinds[dump.gpus[gpu].kind].sheet;
}

/// True if the dump describes several machines.
[[nodiscard]] bool has_several_hosts(MachineDump const& dump);

/// Bridges above a GPU, nearest first, except those with an uplink wider than the GPU's own link,
/// which represent root complexes. \pre the dump has the GPU
[[nodiscard]] std::vector<std::uint32_t> pcie_switches_above(MachineDump const& dump,
                                                             std::size_t gpu);

} // namespace keyswap::simulator
