#include "simulator/dumps/describe_platform.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace keyswap::simulator {
namespace {

enum class NodeKind { cpu, gpu, crossbar, bridge, adapter, nvswitch };

struct Edge {
    std::size_t to;
    LinkKind const* kind;
};

struct Node {
    std::string name;
    NodeKind kind;
    std::size_t index = 0; ///< in its list of the dump
    std::vector<Edge> edges;
    std::optional<std::size_t> parent = std::nullopt; ///< part above it
    bool is_placed = false;
};

class Description {
  public:
    explicit Description(Platform const& platform) : platform_(platform) {}

    Expected<MachineDump> run() {
        dump_.source = "the platform " + platform_.name;
        dump_.has_host_links = true;
        add_nodes();
        add_edges();
        classify_switches();
        add_kinds();
        for (std::size_t cpu = 0; cpu < platform_.cpus.size(); ++cpu) {
            descend(cpu, DumpedPlace{static_cast<std::uint32_t>(cpu), std::nullopt});
        }
        for (Node const& node : nodes_) {
            if (node.kind != NodeKind::nvswitch && !node.is_placed) {
                fail(node.name, "is not attached to a CPU");
            }
        }
        for (auto const& [rail, adapter] : rails_) {
            dump_.adapters.push_back(adapter);
        }
        for (std::size_t i = 0; i < nodes_.size() && !error_; ++i) {
            if (nodes_[i].kind == NodeKind::gpu) {
                add_nvlinks(i);
            }
        }
        if (error_) {
            return tl::unexpected(*error_);
        }
        return std::move(dump_);
    }

  private:
    void fail(std::string const& node, std::string const& problem) {
        if (!error_) {
            error_ =
                InputError{platform_.name,
                           node + " " + problem + ", which a dump of one machine cannot express",
                           "export it as toml or simgrid"};
        }
    }

    void add_nodes() {
        for (Cpu const& cpu : platform_.cpus) {
            dump_.cpus.push_back({cpu.machine, std::nullopt});
            nodes_.push_back({cpu.name, NodeKind::cpu, dump_.cpus.size() - 1, {}});
        }
        for (Gpu const& gpu : platform_.gpus) {
            dump_.gpus.emplace_back();
            nodes_.push_back({gpu.name, NodeKind::gpu, dump_.gpus.size() - 1, {}});
        }
        for (Switch const& node : platform_.switches) {
            nodes_.push_back({node.name, node.rail ? NodeKind::adapter : NodeKind::bridge, 0, {}});
        }
    }

    void add_edges() {
        std::map<std::string_view, std::size_t> numbers;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            numbers[nodes_[i].name] = i;
        }
        for (Link const& link : platform_.links) {
            std::size_t const from = numbers.at(link.from);
            std::size_t const to = numbers.at(link.to);
            LinkKind const& kind = kind_of(platform_, link);
            nodes_[from].edges.push_back({to, &kind});
            nodes_[to].edges.push_back({from, &kind});
        }
    }

    /// A switch that connects only GPUs is an NVSwitch; one that connects a GPU to its CPU over
    /// NVLink-C2C, or to its NVLinks, is the crossbar of the GPU.
    void classify_switches() {
        for (Node& node : nodes_) {
            if (node.kind != NodeKind::bridge) {
                continue;
            }
            bool const is_crossbar = std::ranges::any_of(
                node.edges, [&](Edge const& edge) { return leads_into_gpu(edge); });
            node.kind = is_crossbar ? NodeKind::crossbar : node.kind;
        }
        for (Node& node : nodes_) {
            bool const is_between_gpus =
                node.kind == NodeKind::bridge && !node.edges.empty() &&
                std::ranges::all_of(node.edges, [&](Edge const& edge) {
                    NodeKind const other = nodes_[edge.to].kind;
                    return other == NodeKind::gpu || other == NodeKind::crossbar;
                });
            if (is_between_gpus) {
                node.kind = NodeKind::nvswitch;
                node.index = nvswitches_++;
            }
        }
    }

    /// True if the edge leads from a GPU's crossbar to the GPU.
    [[nodiscard]] bool leads_into_gpu(Edge const& edge) const {
        return nodes_[edge.to].kind == NodeKind::gpu && edge.kind->name.starts_with("crossbar");
    }

    void add_kinds() {
        for (Device const& device : platform_.devices) {
            auto sheet = find_gpu_sheet(device.name);
            if (!sheet) {
                GpuSheet other;
                other.name = device.name;
                other.memory_bytes = device.memory_bytes;
                other.memory_Bps = device.hbm_bandwidth_Bps;
                other.nvlink_Bps = 25'000'000'000;
                other.nvlinks = 18;
                sheet = other;
            }
            dump_.kinds.push_back({*sheet, ""});
        }
        for (std::size_t i = 0; i < platform_.gpus.size(); ++i) {
            auto const device =
                std::ranges::find(platform_.devices, platform_.gpus[i].device, &Device::name);
            dump_.gpus[i].kind = static_cast<std::size_t>(device - platform_.devices.begin());
        }
    }

    /// Adds the parts below a node to the dump, with their CPU or bridge as parent.
    void descend(std::size_t at, DumpedPlace const& place) {
        nodes_[at].is_placed = true;
        for (Edge const& edge : nodes_[at].edges) {
            Node& below = nodes_[edge.to];
            bool const is_parent =
                place.bridge ? nodes_[at].parent == edge.to : below.kind == NodeKind::cpu;
            if (is_parent || below.kind == NodeKind::nvswitch || error_) {
                continue;
            }
            if (below.kind == NodeKind::cpu) {
                return fail(nodes_[at].name, "joins several CPUs, as a network does");
            }
            if (std::exchange(below.is_placed, true)) {
                return fail(below.name, "has two paths to its host");
            }
            below.parent = at;
            std::uint64_t const bandwidth_Bps = edge.kind->bandwidth_Bps;
            if (below.kind == NodeKind::bridge) {
                dump_.bridges.push_back({below.name, place, bandwidth_Bps});
                below.index = dump_.bridges.size() - 1;
                descend(edge.to, {place.cpu, static_cast<std::uint32_t>(below.index)});
            } else if (below.kind == NodeKind::adapter) {
                if (below.edges.size() > 1) {
                    return fail(below.name, "is joined to a network");
                }
                auto const node = std::ranges::find(platform_.switches, below.name, &Switch::name);
                rails_.emplace(*node->rail, DumpedAdapter{place, bandwidth_Bps, node->rail_Bps});
            } else {
                place_gpu(edge, place);
            }
        }
    }

    void place_gpu(Edge const& edge, DumpedPlace const& place) {
        std::size_t gpu = edge.to;
        if (nodes_[gpu].kind == NodeKind::crossbar) {
            for (Edge const& inner : nodes_[edge.to].edges) {
                gpu = leads_into_gpu(inner) ? inner.to : gpu;
            }
            if (std::exchange(nodes_[gpu].is_placed, true)) {
                return fail(nodes_[gpu].name, "has two paths to its host");
            }
            ports_[gpu] = edge.to;
        }
        DumpedGpu& dumped = dump_.gpus[nodes_[gpu].index];
        dumped.above = place;
        if (edge.kind->name.starts_with("c2c")) {
            dumped.c2c_Bps = edge.kind->bandwidth_Bps;
        } else if (edge.kind->name.starts_with("nvlink")) {
            dumped.cpu_nvlinks = nvlinks_of(gpu, *edge.kind);
        } else {
            dumped.pcie_Bps = edge.kind->bandwidth_Bps;
        }
    }

    /// Number of NVLinks of the GPU's generation with this bandwidth, with a tolerance of a tenth,
    /// as some platforms have measured rates.
    std::uint32_t nvlinks_of(std::size_t gpu, LinkKind const& kind) {
        GpuSheet const& sheet = sheet_of(dump_, nodes_[gpu].index);
        double const one = static_cast<double>(sheet.nvlink_Bps);
        double const width = static_cast<double>(kind.bandwidth_Bps);
        if (sheet.nvlinks == 0) {
            fail(nodes_[gpu].name, "has NVLinks, though a " + sheet.name + " has none");
            return 0;
        }
        double links = std::round(width / one);
        bool const is_widest = kind.bandwidth_Bps % sheet.nvlink_Bps != 0 &&
                               std::abs(width - one * sheet.nvlinks) <= 0.1 * width;
        links = is_widest ? static_cast<double>(sheet.nvlinks) : links;
        if (links < 1.0 || links > 1'000.0 || std::abs(links * one - width) > 0.1 * width) {
            fail(nodes_[gpu].name, "has an NVLink whose rate is not a multiple of one link's");
            return 0;
        }
        return static_cast<std::uint32_t>(links);
    }

    void add_nvlinks(std::size_t gpu) {
        std::size_t const port = ports_.contains(gpu) ? ports_[gpu] : gpu;
        auto const number = static_cast<std::uint32_t>(nodes_[gpu].index);
        for (Edge const& edge : nodes_[port].edges) {
            Node const& other = nodes_[edge.to];
            if (other.kind == NodeKind::nvswitch) {
                dump_.gpus[number].switch_nvlinks[static_cast<std::uint32_t>(other.index)] +=
                    nvlinks_of(gpu, *edge.kind);
                continue;
            }
            std::size_t peer = edge.to;
            for (auto const& [owner, its_port] : ports_) {
                peer = its_port == edge.to ? owner : peer;
            }
            bool const is_peer = nodes_[peer].kind == NodeKind::gpu && peer != gpu;
            auto const other_number = static_cast<std::uint32_t>(nodes_[peer].index);
            if (is_peer && number < other_number) {
                dump_.peer_nvlinks[{number, other_number}] +=
                    std::min(nvlinks_of(gpu, *edge.kind), nvlinks_of(peer, *edge.kind));
            }
        }
    }

    Platform const& platform_;
    MachineDump dump_;
    std::vector<Node> nodes_;
    std::map<std::size_t, std::size_t> ports_; ///< GPU -> its crossbar
    std::multimap<std::uint32_t, DumpedAdapter> rails_;
    std::size_t nvswitches_ = 0;
    std::optional<InputError> error_;
};

} // namespace

Expected<MachineDump> describe_platform(Platform const& platform) {
    return Description(platform).run();
}

} // namespace keyswap::simulator
