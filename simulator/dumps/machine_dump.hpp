#pragma once

/// \file A machine as a dump describes it, whichever program wrote the dump: parts and counts, no
/// rates but those that the dump states. Importers fill it, build_platform() makes a platform of
/// it, describe_platform() goes the other way, and exporters write it.

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
    std::uint32_t family = 0; ///< family plus 16 times the extended family
    std::uint32_t model = 0;
    friend bool operator==(CpuModel const&, CpuModel const&) = default;
};

/// A NUMA node.
struct DumpedCpu {
    std::uint32_t host = 0; ///< machine, from 0
    std::optional<CpuModel> model;
    friend bool operator==(DumpedCpu const&, DumpedCpu const&) = default;
};

/// Where a part hangs: on a bridge, or on the CPU itself.
struct DumpedPlace {
    std::uint32_t cpu = 0;
    std::optional<std::uint32_t> bridge;
    friend bool operator==(DumpedPlace const&, DumpedPlace const&) = default;
};

/// A PCIe switch. Bridges above it come before it.
struct DumpedBridge {
    std::string name;
    DumpedPlace above;
    std::optional<std::uint64_t> pcie_Bps; ///< of its uplink
    friend bool operator==(DumpedBridge const&, DumpedBridge const&) = default;
};

struct DumpedGpu {
    std::size_t kind = 0; ///< index into MachineDump::kinds
    DumpedPlace above;
    std::optional<std::uint64_t> pcie_Bps; ///< of its own link
    std::uint32_t cpu_nvlinks = 0;         ///< POWER: NVLinks to its CPU, in place of PCIe
    std::uint64_t c2c_Bps = 0;             ///< Grace: NVLink-C2C to its CPU, in place of PCIe
    std::map<std::uint32_t, std::uint32_t> switch_nvlinks; ///< NVSwitch -> NVLinks
    friend bool operator==(DumpedGpu const&, DumpedGpu const&) = default;
};

/// A network adapter.
struct DumpedAdapter {
    DumpedPlace above;
    std::optional<std::uint64_t> pcie_Bps;
    std::optional<std::uint64_t> rail_Bps; ///< of its network
    friend bool operator==(DumpedAdapter const&, DumpedAdapter const&) = default;
};

/// A kind of GPU, and why it is taken to be that kind.
struct GpuKind {
    GpuSheet sheet;
    std::string assumption; ///< empty if the dump or the user names it
};

struct MachineDump {
    std::string source; ///< "nvidia-smi topo -m"
    std::vector<DumpedCpu> cpus;
    std::vector<DumpedBridge> bridges;
    std::vector<GpuKind> kinds;
    std::vector<DumpedGpu> gpus;
    std::vector<DumpedAdapter> adapters;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> peer_nvlinks; ///< lower first
    bool has_host_links = false; ///< whether the links of GPUs to their hosts are in the dump
    std::set<std::pair<std::uint32_t, std::uint32_t>> unclear_pairs; ///< GPUs, lower first: the
                                                                     ///< dump hides their bridges
    std::vector<std::string> notes; ///< what was left out or contradicts, a sentence each
};

/// The sheet of a GPU. \pre the dump has the GPU
[[nodiscard]] inline GpuSheet const& sheet_of(MachineDump const& dump, std::size_t gpu) {
    return dump.kinds[dump.gpus[gpu].kind].sheet;
}

/// Whether the dump is of several machines.
[[nodiscard]] bool has_several_hosts(MachineDump const& dump);

/// Bridges above a GPU, nearest first. One whose uplink is wider than the GPU's own link stands for
/// a root complex and is left out. \pre the dump has the GPU
[[nodiscard]] std::vector<std::uint32_t> pcie_switches_above(MachineDump const& dump,
                                                             std::size_t gpu);

} // namespace keyswap::simulator
