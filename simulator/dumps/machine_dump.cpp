#include "simulator/dumps/machine_dump.hpp"

#include <algorithm>

namespace keyswap::simulator {

void MachineDump::note(std::string const& sentence) {
    if (std::ranges::find(notes, sentence) == notes.end()) {
        notes.push_back(sentence);
    }
}

bool has_several_hosts(MachineDump const& dump) {
    return std::ranges::any_of(
        dump.cpus, [&](DumpedCpu const& cpu) { return cpu.host != dump.cpus.front().host; });
}

std::vector<std::uint32_t> pcie_switches_above(MachineDump const& dump, std::size_t gpu) {
    std::vector<std::uint32_t> above;
    auto const own = static_cast<double>(dump.gpus[gpu].pcie_Bps.value_or(0));
    for (auto bridge = dump.gpus[gpu].above.bridge; bridge;
         bridge = dump.bridges[*bridge].above.bridge) {
        auto const uplink = static_cast<double>(dump.bridges[*bridge].pcie_Bps.value_or(0));
        if (own == 0.0 || uplink <= 1.1 * own) {
            above.push_back(*bridge);
        }
    }
    return above;
}

} // namespace keyswap::simulator
