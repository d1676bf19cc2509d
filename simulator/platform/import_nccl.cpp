#include "simulator/platform/import_parts.hpp"
#include "simulator/platform/import_topology.hpp"
#include "simulator/platform/units.hpp"
#include "simulator/platform/xml_elements.hpp"
#include "traces/errors/input_limits.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

namespace keyswap::simulator {
namespace {

struct GpuFound {
    std::string bus;
    XmlElement const* element;
};

/// All of a text as a whole number up to `most`.
std::optional<std::uint32_t> whole_number(std::string const& text, std::uint32_t most) {
    std::uint32_t value = 0;
    auto const [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool const whole = error == std::errc{} && rest == text.data() + text.size();
    return whole && value <= most ? std::optional(value) : std::nullopt;
}

std::optional<double> leading_number(std::string const& text) {
    double value = 0.0;
    char const* const end = text.data() + text.size();
    auto const [rest, error] = std::from_chars(text.data(), end, value);
    bool const is_word = rest == end || *rest == ' ';
    return error == std::errc{} && is_word && std::isfinite(value) ? std::optional(value)
                                                                   : std::nullopt;
}

constexpr std::uint32_t nvlinks_max = 1'023;

/// NVSwitch's class code; others are GPUs (0x0302..) or POWER CPUs (0x068001).
constexpr std::string_view nvswitch_class = "0x068000";

class NcclImport {
  public:
    NcclImport(std::string_view file, ImportDefaults const& defaults, GpuSheet sheet)
        : file_(file), defaults_(defaults), sheet_(std::move(sheet)) {}

    Expected<Platform> read(XmlElement const& system);

  private:
    void fail(XmlElement const& element, std::string problem, std::string remedy) {
        if (!error_) {
            error_ = InputError{
                file_ + ":" + std::to_string(element.line), std::move(problem), std::move(remedy)};
        }
    }
    std::string attribute(XmlElement const& element, std::string const& name) {
        auto const found = element.attributes.find(name);
        if (found == element.attributes.end()) {
            fail(element,
                 "<" + element.name + "> has no " + name,
                 "dump the topology again with NCCL_TOPO_DUMP_FILE");
            return {};
        }
        return found->second;
    }
    std::uint32_t number(XmlElement const& element, std::string const& name) {
        // GPUs and NUMA nodes are numbered from 0; lanes and links are far fewer.
        auto const most = static_cast<std::uint32_t>(limit_of(Limit::gpus)) - 1;
        std::string const text = attribute(element, name);
        auto const value = whole_number(text, most);
        if (!value) {
            fail(element,
                 name + "=\"" + text + "\" of <" + element.name +
                     "> is not a whole number from 0 to " + std::to_string(most),
                 "see NCCL's own file, or raise --gpu-limit");
        }
        return value.value_or(0);
    }
    std::string pcie_kind(XmlElement const& pci);
    void add_pci(XmlElement const& pci, std::string const& above);
    void add_adapter(XmlElement const& pci, XmlElement const& nic, std::string const& above);
    void add_nvlinks(GpuFound const& gpu);
    void join_peers();
    std::string nvlink_kind(std::uint32_t count) {
        return add_link_kind(platform_,
                             "nvlink x" + std::to_string(count),
                             count * sheet_.nvlink_Bps,
                             "datasheet: NVLink links of this generation, counted by NCCL",
                             nvlink_efficiency(sheet_));
    }

    /// What one GPU says of its links to another.
    struct PeerSide {
        std::uint32_t count;
        XmlElement const* element;
    };

    std::string file_;
    ImportDefaults defaults_;
    GpuSheet sheet_;
    std::optional<InputError> error_;
    Platform platform_;
    std::uint32_t rails_ = 0;
    std::map<std::string, std::string> gpu_of_bus_;
    std::map<std::uint32_t, GpuFound> gpus_;   ///< by dev
    std::map<std::string, std::string> above_; ///< GPU's bus -> node above, with the link's kind
    std::map<std::string, std::string> kind_above_;
    std::map<std::pair<std::string, std::string>, std::vector<PeerSide>> peers_; ///< by names
};

/// "16.0 GT/s PCIe" and width 16: 16e9 / 8 * 16 bytes a second, before encoding.
std::string NcclImport::pcie_kind(XmlElement const& pci) {
    auto const speed = leading_number(attribute(pci, "link_speed"));
    std::uint32_t const width = number(pci, "link_width");
    if (!speed || *speed <= 0.0 || *speed > static_cast<double>(bandwidth_max_Bps) * 8e-9 ||
        width == 0) {
        fail(pci, "the PCI link has no speed or width", "see link_speed and link_width");
        return {};
    }
    auto const bandwidth = static_cast<std::uint64_t>(*speed * 1e9 / 8.0) * width;
    return add_link_kind(platform_,
                         "pcie " + std::to_string(bandwidth / 1'000'000) + " MB/s",
                         bandwidth,
                         "measured: link_speed and link_width as NCCL wrote them, before encoding",
                         pcie_efficiency(bandwidth * 16 / width));
}

void NcclImport::add_pci(XmlElement const& pci, std::string const& above) {
    std::string const bus = attribute(pci, "busid");
    auto const gpus = std::ranges::count_if(
        pci.children, [](XmlElement const& child) { return child.name == "gpu"; });
    if (gpus > 1 || (gpus == 1 && above_.contains(bus))) {
        fail(pci, "two <gpu> at one bus \"" + bus + "\"", "give each GPU a <pci> of its own");
        return;
    }
    for (XmlElement const& child : pci.children) {
        if (child.name == "gpu") {
            kind_above_[bus] = pcie_kind(pci);
            above_[bus] = above;
            if (!gpus_.emplace(number(child, "dev"), GpuFound{bus, &child}).second) {
                fail(child, "two GPUs have one dev", "number them from 0");
            }
            return;
        }
    }
    for (XmlElement const& child : pci.children) {
        if (child.name == "nic") {
            add_adapter(pci, child, above);
            return;
        }
    }
    bool const is_switch = std::any_of(pci.children.begin(),
                                       pci.children.end(),
                                       [](XmlElement const& child) { return child.name == "pci"; });
    if (!is_switch) {
        return; // another device without GPUs
    }
    std::string const node = "pci " + bus;
    platform_.switches.push_back(Switch{node, std::nullopt, std::nullopt});
    add_link(platform_, pcie_kind(pci), above, node);
    for (XmlElement const& child : pci.children) {
        if (child.name == "pci") {
            add_pci(child, node);
        }
    }
}

/// An adapter with its first network: rails are numbered in the order of the file.
void NcclImport::add_adapter(XmlElement const& pci,
                             XmlElement const& nic,
                             std::string const& above) {
    auto const net = std::ranges::find_if(
        nic.children, [](XmlElement const& child) { return child.name == "net"; });
    if (net == nic.children.end()) {
        return;
    }
    Switch adapter;
    adapter.name = "nic" + std::to_string(rails_);
    adapter.rail = rails_++;
    if (auto const speed = net->attributes.find("speed"); speed != net->attributes.end()) {
        auto const Mbps = leading_number(speed->second); // megabits a second
        if (!Mbps || *Mbps * 125'000.0 < static_cast<double>(bandwidth_min_Bps) ||
            *Mbps * 125'000.0 > static_cast<double>(bandwidth_max_Bps)) {
            fail(*net,
                 "speed=\"" + speed->second + "\" of <net> is the rate of no network",
                 "see NCCL's own file: it is in megabits a second");
            return;
        }
        adapter.rail_Bps = static_cast<std::uint64_t>(*Mbps * 125'000.0);
    }
    add_link(platform_, pcie_kind(pci), above, adapter.name);
    platform_.switches.push_back(std::move(adapter));
}

void NcclImport::add_nvlinks(GpuFound const& gpu) {
    std::uint32_t to_switch = 0;
    std::string const& name = gpu_of_bus_[gpu.bus];
    for (XmlElement const& link : gpu.element->children) {
        if (link.name != "nvlink") {
            continue;
        }
        std::string const target = attribute(link, "target");
        std::uint32_t const count = number(link, "count");
        auto const other = gpu_of_bus_.find(target);
        auto const kind = link.attributes.find("tclass");
        bool const named_switch =
            kind != link.attributes.end() && kind->second.starts_with(nvswitch_class);
        if (other != gpu_of_bus_.end()) {
            // Each pair is listed twice, once from either side.
            peers_[{std::min(name, other->second), std::max(name, other->second)}].push_back(
                {count, &link});
        } else if (named_switch || kind == link.attributes.end()) {
            to_switch += count;
        } else if (count > 0) { // a POWER CPU: its GPUs hang on it by NVLink instead of PCIe
            kind_above_[gpu.bus] = nvlink_kind(count);
        }
    }
    if (to_switch > nvlinks_max) {
        fail(*gpu.element, "more than 1,023 NVLinks to switches", "see NCCL's own file");
    } else if (to_switch > 0) {
        bool const known = std::any_of(platform_.switches.begin(),
                                       platform_.switches.end(),
                                       [](Switch const& node) { return node.name == "nvswitch"; });
        if (!known) {
            platform_.switches.push_back(Switch{"nvswitch", std::nullopt, std::nullopt});
        }
        add_link(platform_, nvlink_kind(to_switch), name, "nvswitch");
    }
}

void NcclImport::join_peers() {
    for (auto const& [pair, sides] : peers_) {
        bool const agree = sides.size() == 2 && sides[0].count == sides[1].count;
        if (!agree) {
            fail(*sides.front().element,
                 pair.first + " and " + pair.second + " do not name the same NVLinks to each other",
                 "give both GPUs one <nvlink> with the same count");
            return;
        }
        if (sides[0].count > 0) {
            add_link(platform_, nvlink_kind(sides[0].count), pair.first, pair.second);
        }
    }
}

Expected<Platform> NcclImport::read(XmlElement const& system) {
    platform_.name = defaults_.platform_name;
    platform_.description = "imported from an NCCL topology file";
    platform_.devices.push_back(device_of_sheet(sheet_));
    std::map<std::uint32_t, XmlElement const*> cpus;
    for (XmlElement const& child : system.children) {
        if (child.name == "cpu") {
            cpus.emplace(number(child, "numaid"), &child);
        }
    }
    std::uint32_t const nodes = cpus.empty() ? 0 : 1 + cpus.rbegin()->first;
    for (std::uint32_t node = 0; node < nodes && node < 1'000; ++node) {
        platform_.cpus.push_back(assumed_cpu(node, sheet_));
    }
    join_cpus(platform_, sheet_);
    for (auto const& [node, cpu] : cpus) {
        for (XmlElement const& pci : cpu->children) {
            if (pci.name == "pci") {
                add_pci(pci, "cpu" + std::to_string(node));
            }
        }
    }
    for (auto const& [dev, gpu] : gpus_) {
        gpu_of_bus_[gpu.bus] = "gpu" + std::to_string(dev);
        platform_.gpus.push_back(
            Gpu{gpu_of_bus_[gpu.bus], platform_.devices.front().name, std::nullopt});
    }
    for (auto const& [dev, gpu] : gpus_) {
        add_nvlinks(gpu);
        add_link(platform_, kind_above_[gpu.bus], above_[gpu.bus], gpu_of_bus_[gpu.bus]);
    }
    join_peers();
    if (gpus_.empty()) {
        fail(system, "no <gpu> below a <cpu>", "give the file that NCCL_TOPO_DUMP_FILE names");
    }
    if (error_) {
        return tl::unexpected(*error_);
    }
    return validated_import(platform_, file_);
}

} // namespace

Expected<Platform>
import_nccl_xml(std::string_view text, std::string_view file, ImportDefaults const& defaults) {
    auto sheet = find_gpu_sheet(defaults.gpu_name);
    if (!sheet) {
        return tl::unexpected(sheet.error());
    }
    return parse_xml_elements(text, file).and_then([&](XmlElement const& system) {
        return NcclImport(file, defaults, *sheet).read(system);
    });
}

} // namespace keyswap::simulator
