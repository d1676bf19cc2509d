#include "simulator/dumps/dump_text.hpp"
#include "simulator/dumps/gpu_kinds.hpp"
#include "simulator/dumps/import_topology.hpp"
#include "simulator/dumps/joined_sets.hpp"
#include "simulator/dumps/topology_table.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace keyswap::simulator {
namespace {

constexpr std::uint32_t numa_nodes_max = 256;

bool is_below_one_switch(std::string const& cell) {
    return cell == "PIX" || cell == "PXB" || cell == "PSB"; // none crosses the root complex
}

bool is_between_nodes(std::string const& cell) {
    return cell == "SYS" || cell == "SOC";
}

class SmiImport {
  public:
    SmiImport(TopologyTable table, std::string_view file, ImportOptions const& options)
        : table_(std::move(table)), file_(file), options_(options) {}

    Expected<MachineDump> read() {
        dump_.source = "nvidia-smi topo -m";
        dump_.gpus.resize(table_.gpu_count);
        KEYSWAP_RETURN_IF_ERROR(add_nodes());
        std::vector<GpuEvidence> evidence(table_.gpu_count);
        for (std::size_t i = 0; i < evidence.size(); ++i) {
            evidence[i].place = file_;
            evidence[i].name =
                i < options_.driver_names.size() ? options_.driver_names[i] : table_.gpu_names[i];
        }
        KEYSWAP_RETURN_IF_ERROR(recognise_gpus(dump_, evidence, options_, file_));
        add_bridges();
        KEYSWAP_RETURN_IF_ERROR(add_nvlinks());
        if (table_.has_gpu_memory_nodes) {
            dump_.notes.emplace_back(
                "'GPU NUMA ID' shows that CPUs reach the GPUs' memory, as over "
                "NVLink-C2C, whose rate the table does not have: PCIe is assumed");
        }
        return std::move(dump_);
    }

  private:
    [[nodiscard]] std::string const& cell(std::size_t row, std::size_t column) const {
        return table_.cells[row][column];
    }

    [[nodiscard]] std::optional<std::uint32_t> numa_node(std::size_t gpu) const {
        // Interleaved memory gives a range, "0-1": its first node counts.
        std::string const& text = table_.numa_affinity[gpu];
        return number_after(std::string_view(text).substr(0, text.find_first_of("-,")), "");
    }

    /// Sets of GPUs and adapters closer than another NUMA node. NVLinks hide the distance.
    [[nodiscard]] JoinedSets near_parts() const {
        JoinedSets sets(table_.names.size());
        for (std::size_t row = 0; row < table_.gpu_count; ++row) {
            for (std::size_t column = 0; column < table_.names.size(); ++column) {
                std::string const& between = cell(row, column);
                if (row != column && !is_between_nodes(between) && !nvlinks_of_cell(between)) {
                    sets.join(row, column);
                }
            }
        }
        return sets;
    }

    /// Adds a CPU for each NUMA node that a GPU names; CPU affinities and connections substitute
    /// for missing node numbers.
    Expected<void> add_nodes() {
        // Nodes by number come before those by affinity or connection.
        using Key = std::pair<std::uint32_t, std::string>;
        std::vector<Key> keys(table_.gpu_count);
        std::map<std::string, Key> by_affinity;
        for (std::size_t gpu = 0; gpu < keys.size(); ++gpu) {
            auto const node = numa_node(gpu);
            if (node && *node >= numa_nodes_max) {
                return input_error(file_ + ":" + std::to_string(table_.lines[gpu]),
                                   "NUMA node " + std::to_string(*node) +
                                       " is beyond the 256 that are known",
                                   "see the column 'NUMA Affinity'");
            }
            if (node) {
                keys[gpu] = {*node, ""};
                by_affinity.emplace(table_.cpu_affinity[gpu], keys[gpu]);
            }
        }
        bool const have_affinities = std::ranges::any_of(
            table_.cpu_affinity, [](auto const& text) { return !text.empty(); });
        JoinedSets const near = near_parts();
        std::size_t without = 0;
        for (std::size_t gpu = 0; gpu < keys.size(); ++gpu) {
            if (numa_node(gpu)) {
                continue;
            }
            ++without;
            std::string const& affinity = table_.cpu_affinity[gpu];
            auto const known = by_affinity.find(affinity);
            if (known != by_affinity.end() && !affinity.empty()) {
                keys[gpu] = known->second;
            } else if (have_affinities) {
                keys[gpu] = {numa_nodes_max, affinity};
            } else {
                keys[gpu] = {numa_nodes_max, "set " + std::to_string(set_of_node(near, gpu))};
            }
        }
        std::map<Key, std::uint32_t> numbers;
        for (Key const& key : keys) {
            numbers.emplace(key, 0);
        }
        // Affinities do not order nodes: these are ordered by their first GPU.
        std::uint32_t next = 0;
        for (auto& [key, number] : numbers) {
            number = key.first < numa_nodes_max ? next++ : numa_nodes_max;
        }
        for (Key const& key : keys) {
            if (std::uint32_t& number = numbers[key]; number == numa_nodes_max) {
                number = next++;
            }
        }
        dump_.cpus.resize(next);
        for (DumpedCpu& cpu : dump_.cpus) {
            cpu.model = options_.cpu;
        }
        for (std::size_t gpu = 0; gpu < keys.size(); ++gpu) {
            dump_.gpus[gpu].above.cpu = numbers[keys[gpu]];
        }
        note_nodes(without, have_affinities, numbers.begin()->first.first);
        return {};
    }

    /// Sets are on one node unless a cell shows that they are on different ones.
    [[nodiscard]] std::size_t set_of_node(JoinedSets const& near, std::size_t gpu) const {
        for (std::size_t other = 0; other < gpu; ++other) {
            bool const is_apart =
                std::ranges::any_of(std::vector<std::size_t>{other, gpu}, [&](std::size_t one) {
                    std::size_t const far = one == gpu ? other : gpu;
                    for (std::size_t column = 0; column < table_.names.size(); ++column) {
                        if (is_between_nodes(cell(one, column)) &&
                            near.find(column) == near.find(far)) {
                            return true;
                        }
                    }
                    return false;
                });
            if (!is_apart) {
                return set_of_node(near, other);
            }
        }
        return near.find(gpu);
    }

    void note_nodes(std::size_t without, bool have_affinities, std::uint32_t first) {
        if (without > 0) {
            std::string const source = have_affinities ? "CPU affinities" : "connections";
            dump_.notes.push_back(
                std::string(without == table_.gpu_count ? "no GPU has" : "not every GPU has") +
                " a NUMA node, so " + source + " show " + std::to_string(dump_.cpus.size()) +
                (dump_.cpus.size() == 1 ? " CPU" : " CPUs"));
            return;
        }
        std::set<std::uint32_t> nodes;
        for (std::size_t gpu = 0; gpu < table_.gpu_count; ++gpu) {
            nodes.insert(numa_node(gpu).value_or(0));
        }
        if (first != 0 || *nodes.rbegin() + 1 != nodes.size()) {
            std::string const list = joined_text(nodes, ", ");
            dump_.notes.push_back("the CPUs are NUMA nodes " + list +
                                  ", in this order; no GPU names another");
        }
    }

    /// nullopt if NVLinks hide the PCIe connection and no adapter reveals it.
    [[nodiscard]] std::optional<bool> share_switch(std::size_t gpu, std::size_t other) const {
        for (std::size_t adapter = table_.gpu_count; adapter < table_.names.size(); ++adapter) {
            if (is_below_one_switch(cell(gpu, adapter)) &&
                is_below_one_switch(cell(other, adapter))) {
                return true;
            }
        }
        if (nvlinks_of_cell(cell(gpu, other))) {
            return std::nullopt;
        }
        return is_below_one_switch(cell(gpu, other));
    }

    void add_bridges() {
        JoinedSets sets(table_.names.size());
        for (std::size_t gpu = 0; gpu < table_.gpu_count; ++gpu) {
            for (std::size_t other = 0; other < gpu; ++other) {
                auto const shared = share_switch(gpu, other);
                if (shared.value_or(false)) {
                    sets.join(gpu, other);
                } else if (!shared) {
                    dump_.unclear_pairs.emplace(other, gpu);
                }
            }
        }
        for (std::size_t adapter = table_.gpu_count; adapter < table_.names.size(); ++adapter) {
            for (std::size_t gpu = 0; gpu < table_.gpu_count; ++gpu) {
                if (is_below_one_switch(cell(gpu, adapter))) {
                    sets.join(gpu, adapter);
                }
            }
        }
        std::map<std::size_t, std::uint32_t> bridges;
        std::map<std::size_t, std::size_t> sizes;
        for (std::size_t i = 0; i < table_.names.size(); ++i) {
            ++sizes[sets.find(i)];
        }
        for (std::size_t gpu = 0; gpu < table_.gpu_count; ++gpu) {
            std::size_t const set = sets.find(gpu);
            if (sizes[set] < 2) {
                continue;
            }
            DumpedPlace& above = dump_.gpus[gpu].above;
            if (!bridges.contains(set)) {
                bridges[set] = static_cast<std::uint32_t>(dump_.bridges.size());
                dump_.bridges.push_back(
                    {"pcie-switch" + std::to_string(dump_.bridges.size()), above, std::nullopt});
            }
            std::uint32_t const cpu = dump_.bridges[bridges[set]].above.cpu;
            if (cpu != above.cpu) {
                dump_.notes.push_back(table_.names[gpu] + " shares a PCIe switch with GPUs of cpu" +
                                      std::to_string(cpu) + ", so it is attached there");
            }
            above = {cpu, bridges[set]};
        }
        add_adapters(sets, bridges);
    }

    /// Attaches adapters to the switch they share with a GPU, else to the nearest GPU's CPU.
    void add_adapters(JoinedSets const& sets, std::map<std::size_t, std::uint32_t> const& bridges) {
        for (std::size_t adapter = table_.gpu_count; adapter < table_.names.size(); ++adapter) {
            DumpedAdapter dumped;
            if (auto const bridge = bridges.find(sets.find(adapter)); bridge != bridges.end()) {
                dumped.above = {dump_.bridges[bridge->second].above.cpu, bridge->second};
            } else {
                for (std::size_t gpu = table_.gpu_count; gpu-- > 0;) {
                    if (!is_between_nodes(cell(gpu, adapter))) {
                        dumped.above.cpu = dump_.gpus[gpu].above.cpu;
                    }
                }
            }
            dump_.adapters.push_back(dumped);
        }
    }

    [[nodiscard]] std::uint32_t nvlinks(std::size_t gpu, std::size_t other) const {
        return gpu == other ? 0 : nvlinks_of_cell(cell(gpu, other)).value_or(0);
    }

    Expected<void> add_nvlinks() {
        JoinedSets sets(table_.gpu_count);
        for (std::size_t gpu = 0; gpu < table_.gpu_count; ++gpu) {
            for (std::size_t other = 0; other < gpu; ++other) {
                if (nvlinks(gpu, other) > 0) {
                    sets.join(gpu, other);
                }
            }
        }
        std::map<std::size_t, std::vector<std::size_t>> groups;
        for (std::size_t gpu = 0; gpu < table_.gpu_count; ++gpu) {
            groups[sets.find(gpu)].push_back(gpu);
        }
        for (auto const& [lowest, gpus] : groups) {
            if (gpus.size() < 2) {
                continue;
            }
            KEYSWAP_RETURN_IF_ERROR(add_group(gpus));
        }
        return {};
    }

    /// GPUs that NVLinks join: directly if each has that many, else over an NVSwitch.
    Expected<void> add_group(std::vector<std::size_t> const& gpus) {
        std::vector<std::uint32_t> widest;
        std::optional<std::size_t> crowded;
        for (std::size_t const gpu : gpus) {
            std::uint32_t sum = 0;
            std::uint32_t most = 0;
            for (std::size_t const other : gpus) {
                sum += nvlinks(gpu, other);
                most = std::max(most, nvlinks(gpu, other));
            }
            GpuSheet const& sheet = sheet_of(dump_, gpu);
            if (most > sheet.nvlinks) {
                return input_error(
                    file_,
                    "shows NV" + std::to_string(most) + " of " + table_.names[gpu] + ", and " +
                        sheet.name + " has " +
                        (sheet.nvlinks == 0 ? "no NVLinks"
                                            : std::to_string(sheet.nvlinks) + " NVLinks"),
                    "name the GPU with " + setting("gpu") + " as 'nvidia-smi -L' does");
            }
            crowded = sum > sheet.nvlinks && !crowded ? std::optional(gpu) : crowded;
            widest.push_back(most);
        }
        if (!crowded) {
            for (std::size_t const gpu : gpus) {
                for (std::size_t const other : gpus) {
                    if (other < gpu && nvlinks(gpu, other) > 0) {
                        dump_.peer_nvlinks[{static_cast<std::uint32_t>(other),
                                            static_cast<std::uint32_t>(gpu)}] = nvlinks(gpu, other);
                    }
                }
            }
            return {};
        }
        for (std::size_t i = 0; i < gpus.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (nvlinks(gpus[i], gpus[j]) != std::min(widest[i], widest[j])) {
                    GpuSheet const& sheet = sheet_of(dump_, *crowded);
                    return input_error(file_,
                                       "shows more NVLinks of " + table_.names[*crowded] +
                                           " than the " + std::to_string(sheet.nvlinks) + " of " +
                                           sheet.name + ", and no NVSwitch, on which " +
                                           table_.names[gpus[j]] + " and " + table_.names[gpus[i]] +
                                           " would have NV" +
                                           std::to_string(std::min(widest[i], widest[j])),
                                       "name the GPU with " + setting("gpu") +
                                           " as 'nvidia-smi -L' does, or give NCCL's file, "
                                           "which names the switches");
                }
            }
        }
        for (std::size_t i = 0; i < gpus.size(); ++i) {
            dump_.gpus[gpus[i]].switch_nvlinks[switches_] = widest[i];
        }
        ++switches_;
        return {};
    }

    TopologyTable table_;
    std::string file_;
    ImportOptions const& options_;
    MachineDump dump_;
    std::uint32_t switches_ = 0;
};

} // namespace

Expected<MachineDump>
read_nvidia_smi(std::string_view text, std::string_view file, ImportOptions const& options) {
    std::string const plain = plain_dump_text(text);
    return read_topology_table(plain, file).and_then([&](TopologyTable table) {
        return SmiImport(std::move(table), file, options).read();
    });
}

} // namespace keyswap::simulator
