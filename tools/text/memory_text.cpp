#include "tools/text/memory_text.hpp"

#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/printable_text.hpp"

namespace keyswap::tools {

namespace {

std::string bytes_text(std::uint64_t bytes) {
    return size_text(static_cast<double>(bytes));
}

} // namespace

std::string place_text(simulator::KeyPlace place) {
    switch (place.kind) {
    case simulator::KeyPlace::Kind::interleaved:
        return "all NUMA nodes of each machine, interleaved";
    case simulator::KeyPlace::Kind::local:
        return "the NUMA nodes near their GPUs";
    case simulator::KeyPlace::Kind::devices:
        return "the GPUs";
    case simulator::KeyPlace::Kind::node:
        break;
    }
    return "NUMA node " + std::to_string(place.node);
}

std::string memory_use_text(simulator::MemoryUse const& use) {
    bool const little = use.used_bytes > 0 && use.part() < 0.005;
    return bytes_text(use.used_bytes) + " of " + bytes_text(use.free_bytes) +
           (little ? " (<1 %)" : printed(" (%.0f %%)", 100.0 * use.part()));
}

std::string memory_sentence(simulator::MemoryFit const& fit) {
    std::string text = "Memory: ";
    for (std::size_t i = 0; i < fit.uses.size();) {
        simulator::MemoryUse const& use = fit.uses[i];
        std::size_t end = i + 1;
        while (end < fit.uses.size() && memory_use_text(fit.uses[end]) == memory_use_text(use)) {
            ++end;
        }
        std::string const where =
            printable_text(use.name) +
            (end - i > 1 ? " to " + printable_text(fit.uses[end - 1].name) : std::string());
        text += (i == 0 ? "" : ", ") + memory_use_text(use) + " on " + where;
        i = end;
    }
    return text + "; at most " + grouped_count(fit.keys_most) + " such keys fit.";
}

std::string sort_memory_text(simulator::SortMemory const& memory) {
    std::string text;
    if (memory.device_bytes() > 0) {
        text = bytes_text(memory.device_bytes()) + " on each GPU (" +
               bytes_text(memory.buffer_bytes) + " of buffers, " +
               bytes_text(memory.scratch_bytes) + " of scratch), ";
    }
    return text + size_text(static_cast<double>(memory.array_bytes) * memory.host_arrays) +
           " of host memory" + (memory.host_arrays > 1 ? " (input and output)" : "");
}

} // namespace keyswap::tools
