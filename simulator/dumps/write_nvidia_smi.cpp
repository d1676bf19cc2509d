#include "simulator/dumps/write_dumps.hpp"

#include "traces/errors/try.hpp"

#include <algorithm>

namespace keyswap::simulator {
namespace {

constexpr std::uint32_t cores_per_node = 16; ///< for the affinity column, which dumps lack

/// A GPU or an adapter of the table.
struct Part {
    std::string name;
    std::uint32_t cpu = 0;
    std::vector<std::uint32_t> switches; ///< above it, nearest first
};

std::vector<Part> parts_of(MachineDump const& dump) {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < dump.gpus.size(); ++i) {
        parts.push_back(
            {"GPU" + std::to_string(i), dump.gpus[i].above.cpu, pcie_switches_above(dump, i)});
    }
    for (std::size_t i = 0; i < dump.adapters.size(); ++i) {
        Part part{"NIC" + std::to_string(i), dump.adapters[i].above.cpu, {}};
        for (auto bridge = dump.adapters[i].above.bridge; bridge;
             bridge = dump.bridges[*bridge].above.bridge) {
            part.switches.push_back(*bridge);
        }
        parts.push_back(std::move(part));
    }
    return parts;
}

std::uint32_t nvlinks_between(MachineDump const& dump, std::uint32_t one, std::uint32_t other) {
    auto const direct = dump.peer_nvlinks.find(std::minmax(one, other));
    std::uint32_t count = direct == dump.peer_nvlinks.end() ? 0 : direct->second;
    for (auto const& [number, links] : dump.gpus[one].switch_nvlinks) {
        auto const back = dump.gpus[other].switch_nvlinks.find(number);
        count += back == dump.gpus[other].switch_nvlinks.end() ? 0 : std::min(links, back->second);
    }
    return count;
}

std::string pcie_between(Part const& one, Part const& other) {
    if (one.cpu != other.cpu) {
        return "SYS";
    }
    bool const share = std::ranges::any_of(one.switches, [&](std::uint32_t node) {
        return std::ranges::find(other.switches, node) != other.switches.end();
    });
    return !share ? "PHB" : one.switches.front() == other.switches.front() ? "PIX" : "PXB";
}

} // namespace

Expected<std::string> write_nvidia_smi(MachineDump const& dump) {
    if (has_several_hosts(dump)) {
        return input_error(dump.source,
                           "is of several machines, and the table is of one",
                           "export it as nccl or toml");
    }
    std::string text;
    for (std::size_t i = 0; i < dump.gpus.size(); ++i) {
        text += "GPU " + std::to_string(i) + ": NVIDIA " + sheet_of(dump, i).name + " (UUID: GPU-" +
                std::to_string(i) + ")\n";
    }
    std::vector<Part> const parts = parts_of(dump);
    for (Part const& part : parts) {
        text += "\t" + part.name;
    }
    text += "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n";
    for (std::uint32_t row = 0; row < parts.size(); ++row) {
        text += parts[row].name;
        for (std::uint32_t column = 0; column < parts.size(); ++column) {
            bool const are_gpus = std::max(row, column) < dump.gpus.size();
            std::uint32_t const nvlinks =
                are_gpus && row != column ? nvlinks_between(dump, row, column) : 0;
            text += row == column ? "\t X "
                    : nvlinks > 0 ? "\tNV" + std::to_string(nvlinks)
                                  : "\t" + pcie_between(parts[row], parts[column]);
        }
        if (row < dump.gpus.size()) {
            std::uint32_t const first = parts[row].cpu * cores_per_node;
            text += "\t" + std::to_string(first) + "-" +
                    std::to_string(first + cores_per_node - 1) + "\t" +
                    std::to_string(parts[row].cpu) + "\t\tN/A";
        }
        text += "\n";
    }
    return text + "\nLegend:\n\n  X    = Self\n  NV#  = a bonded set of # NVLinks\n";
}

} // namespace keyswap::simulator
