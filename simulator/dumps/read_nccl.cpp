#include "simulator/dumps/dump_text.hpp"
#include "simulator/dumps/gpu_kinds.hpp"
#include "simulator/dumps/import_topology.hpp"
#include "simulator/dumps/joined_sets.hpp"
#include "simulator/dumps/xml_elements.hpp"
#include "simulator/platform/units.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/input_limits.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/lower_case.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace keyswap::simulator {
namespace {

constexpr std::uint32_t nvlinks_max = 1'023; ///< of one GPU

/// PCI classes of the device at the other end of an NVLink.
constexpr std::string_view nvswitch_class = "0x068000";
constexpr std::string_view power_cpu_class = "0x068001";
constexpr std::string_view display_class = "0x03"; ///< GPUs

constexpr std::string_view amd_vendor = "0x1002";
constexpr std::string_view nvidia_vendor = "0x10de";

/// Parses the whole text as an integer up to `most`, decimal or with prefix 0x; else nullopt.
std::optional<std::uint32_t> whole_number(std::string_view text, std::uint32_t most) {
    int const base = text.starts_with("0x") ? 16 : 10;
    text.remove_prefix(base == 16 ? 2 : 0);
    std::uint32_t value = 0;
    auto const [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
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

/// The text of an attribute; empty if it is absent.
std::string text_of(XmlElement const& element, std::string const& name) {
    auto const found = element.attributes.find(name);
    return found == element.attributes.end() ? "" : found->second;
}

/// "00000000:0F:00.0" is "0000:0f:00.0".
std::string bus_of(std::string text) {
    text = lower_case(text);
    bool const is_long = text.size() > 8 && text[8] == ':' && text.starts_with("0000");
    return is_long ? text.substr(4) : text;
}

/// True for NCCL's placeholder target of links to an NVSwitch of another machine or partition.
bool is_fabric(std::string const& bus) {
    return bus.starts_with("fffffff");
}

std::vector<XmlElement const*> children_of(XmlElement const& element, std::string_view name) {
    std::vector<XmlElement const*> found;
    for (XmlElement const& child : element.children) {
        if (child.name == name) {
            found.push_back(&child);
        }
    }
    return found;
}

class NcclImport {
  public:
    NcclImport(std::string_view file, ImportOptions const& options)
        : file_(file), options_(options) {}

    Expected<MachineDump> read(XmlElement const& system) {
        dump_.source = "an NCCL topology file";
        dump_.has_host_links = true;
        using Step = void (NcclImport::*)(XmlElement const&);
        for (Step const step : {&NcclImport::add_cpus,
                                &NcclImport::number_gpus,
                                &NcclImport::recognise,
                                &NcclImport::add_all_links,
                                &NcclImport::check_hosts}) {
            (this->*step)(system);
            if (error_) {
                return tl::unexpected(*error_);
            }
        }
        for (auto const& [rail, adapter] : rails_) {
            dump_.adapters.push_back(adapter);
        }
        return std::move(dump_);
    }

  private:
    struct GpuFound {
        std::uint32_t host;
        std::uint32_t dev;
        std::string bus;
        XmlElement const* pci;
        XmlElement const* element;
        DumpedPlace above;
        std::optional<std::uint64_t> pcie_Bps;
    };
    using Bus = std::pair<std::uint32_t, std::string>; ///< host, bus

    /// One GPU's entry about its links to another GPU.
    struct PeerSide {
        std::uint32_t count = 0;
        XmlElement const* element = nullptr;
    };

    void fail(XmlElement const& element, std::string problem, std::string remedy) {
        if (!error_) {
            error_ = InputError{place_of(element), std::move(problem), std::move(remedy)};
        }
    }
    [[nodiscard]] std::string place_of(XmlElement const& element) const {
        return file_ + ":" + std::to_string(element.line);
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
        // Same limit for numbers of GPUs and NUMA nodes and for counts of links.
        auto const most = static_cast<std::uint32_t>(limit_of(Limit::gpus)) - 1;
        std::string const text = attribute(element, name);
        auto const value = whole_number(text, most);
        if (!value) {
            fail(element,
                 name + "=\"" + text + "\" of <" + element.name +
                     "> is not a whole number from 0 to " + std::to_string(most),
                 "dump the topology again with NCCL_TOPO_DUMP_FILE");
        }
        return value.value_or(0);
    }

    [[nodiscard]] static std::optional<CpuModel> model_of(XmlElement const& cpu) {
        CpuModel model;
        model.arch = text_of(cpu, "arch");
        model.vendor = text_of(cpu, "vendor");
        model.family = whole_number(text_of(cpu, "familyid"), 100'000).value_or(0);
        model.model = whole_number(text_of(cpu, "modelid"), 100'000).value_or(0);
        bool const is_named =
            !model.vendor.empty() || (!model.arch.empty() && model.arch != "x86_64");
        return is_named ? std::optional(model) : std::nullopt;
    }

    /// Adds NUMA nodes in the order of hosts and numbers, with the parts below them. NCCL writes -1
    /// on machines that show no NUMA nodes: those devices belong to the first node.
    void add_cpus(XmlElement const& system) {
        std::map<std::string, std::uint32_t> hosts;
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<XmlElement const*>> nodes;
        std::vector<std::pair<std::uint32_t, XmlElement const*>> unnumbered;
        for (XmlElement const* cpu : children_of(system, "cpu")) {
            auto const host = hosts.emplace(text_of(*cpu, "host_hash"), hosts.size()).first->second;
            if (text_of(*cpu, "numaid") == "-1") {
                unnumbered.emplace_back(host, cpu);
                continue;
            }
            auto& here = nodes[{host, number(*cpu, "numaid")}];
            here.push_back(cpu);
            if (here.size() > 1) {
                fail(*cpu,
                     "a second <cpu> has numaid=\"" + text_of(*cpu, "numaid") + "\"",
                     "give the file of one machine, or of several whose host_hash differ");
            }
        }
        for (auto const& [host, cpu] : unnumbered) {
            auto const first = nodes.lower_bound({host, 0});
            bool const has_nodes = first != nodes.end() && first->first.first == host;
            (has_nodes ? first->second : nodes[{host, 0}]).push_back(cpu);
            dump_.note(
                "a <cpu> has numaid=\"-1\", as on machines without NUMA nodes: its devices are "
                "assumed to be on the first node");
        }
        std::set<std::uint32_t> numbers;
        for (auto const& [key, elements] : nodes) {
            numbers.insert(key.second);
            DumpedCpu cpu;
            cpu.host = key.first;
            cpu.model = model_of(*elements.front());
            cpu.model = cpu.model ? cpu.model : options_.cpu;
            dump_.cpus.push_back(cpu);
            for (XmlElement const* element : elements) {
                for (XmlElement const* pci : children_of(*element, "pci")) {
                    add_pci(*pci,
                            {static_cast<std::uint32_t>(dump_.cpus.size()) - 1, std::nullopt});
                }
            }
        }
        if (hosts.size() < 2 && !numbers.empty() && *numbers.rbegin() + 1 != numbers.size()) {
            std::string const list = joined_text(numbers, ", ");
            dump_.note("the CPUs are NUMA nodes " + list +
                       ", in this order; the file has no other");
        }
    }

    /// "16.0 GT/s PCIe" and width 16: 16e9 / 8 * 16 bytes per second, before encoding. nullopt if
    /// the speed is empty or unknown, as NCCL writes if the kernel does not know it.
    std::optional<std::uint64_t> pcie_Bps(XmlElement const& pci) {
        std::string const speed_text = text_of(pci, "link_speed");
        std::string const width_text = text_of(pci, "link_width");
        bool const is_unknown = speed_text.empty() || speed_text.starts_with("Unknown") ||
                                leading_number(speed_text) == 0.0;
        if (is_unknown) {
            dump_.note(
                "a PCI link has no speed in the file, so that of the GPU's data sheet is assumed");
            return std::nullopt;
        }
        auto const speed = leading_number(speed_text);
        auto width = width_text.empty() ? std::optional(0U) : whole_number(width_text, 32);
        if (!speed || *speed < 0.0 || !width) {
            fail(pci,
                 "the PCI link has link_speed=\"" + speed_text + "\" and link_width=\"" +
                     width_text + "\"",
                 "write \"16.0 GT/s PCIe\" and a number of lanes up to 32");
            return std::nullopt;
        }
        if (*width == 0) {
            dump_.note("a PCI link has no width in the file, so 16 lanes are assumed");
            width = 16;
        }
        double const bandwidth = std::round(*speed * 1e9 / 8.0 * *width);
        if (bandwidth < static_cast<double>(bandwidth_min_Bps) ||
            bandwidth > static_cast<double>(bandwidth_max_Bps)) {
            fail(pci, "the PCI link's speed is out of range", "see link_speed and link_width");
            return std::nullopt;
        }
        return static_cast<std::uint64_t>(bandwidth);
    }

    void add_pci(XmlElement const& pci, DumpedPlace above) {
        auto const gpus = children_of(pci, "gpu");
        auto const below = children_of(pci, "pci");
        if (!gpus.empty()) {
            return add_gpu(pci, gpus, above);
        }
        if (!below.empty()) {
            dump_.bridges.push_back({bridge_name(pci), above, pcie_Bps(pci)});
            above.bridge = static_cast<std::uint32_t>(dump_.bridges.size()) - 1;
            for (XmlElement const* child : below) {
                add_pci(*child, above);
            }
        }
        for (XmlElement const* nic : children_of(pci, "nic")) {
            add_adapter(pci, *nic, above, !below.empty());
        }
    }

    std::string bridge_name(XmlElement const& pci) {
        std::string const bus = bus_of(attribute(pci, "busid"));
        std::uint32_t const host = dump_.cpus.back().host;
        std::string const name = "pci " + (host == 0 ? "" : std::to_string(host) + " ") + bus;
        if (!bridges_.insert(name).second) {
            fail(pci, "two <pci> have busid=\"" + bus + "\"", "give each a busid of its own");
        }
        return name;
    }

    void
    add_gpu(XmlElement const& pci, std::vector<XmlElement const*> const& gpus, DumpedPlace above) {
        XmlElement const& gpu = *gpus.front();
        std::string const bus = bus_of(attribute(pci, "busid"));
        std::string const vendor = lower_case(text_of(pci, "vendor"));
        for (XmlElement const* part : gpus) {
            std::string const mlopart = text_of(*part, "mlopart");
            if (gpus.size() > 1 || (!mlopart.empty() && mlopart != "-1")) {
                return fail(*part,
                            "the GPU at " + bus + " is in parts (MIG or mlopart)",
                            "dump the topology with whole GPUs: sorts here take whole GPUs");
            }
        }
        bool const is_amd = vendor == amd_vendor || gpu.attributes.contains("gcn") ||
                            std::ranges::any_of(gpu.children, [](XmlElement const& child) {
                                return child.name == "xgmi";
                            });
        if (is_amd || (!vendor.empty() && vendor != nvidia_vendor)) {
            return fail(gpu,
                        std::string("the GPU is ") + (is_amd ? "AMD's" : "not NVIDIA's") +
                            ", and only NVIDIA's are supported",
                        "write a platform file with its links and rates by hand");
        }
        auto const host = dump_.cpus[above.cpu].host;
        if (!buses_.emplace(Bus{host, bus}, 0).second) {
            return fail(gpu, "two GPUs are at " + bus, "give each GPU a <pci> of its own");
        }
        if (!children_of(pci, "pci").empty()) {
            return fail(pci, "a GPU has devices below it", "give each device a <pci> of its own");
        }
        found_.push_back({host, number(gpu, "dev"), bus, &pci, &gpu, above, pcie_Bps(pci)});
    }

    /// Adds an adapter with its first network, whose number orders the rails.
    void
    add_adapter(XmlElement const& pci, XmlElement const& nic, DumpedPlace above, bool is_bridge) {
        auto const nets = children_of(nic, "net");
        if (nets.empty()) {
            return;
        }
        DumpedAdapter adapter;
        adapter.above = above;
        if (std::string const speed = text_of(*nets.front(), "speed"); !speed.empty()) {
            auto const Mbps = leading_number(speed); // megabits per second
            if (!Mbps || *Mbps * 125'000.0 < static_cast<double>(bandwidth_min_Bps) ||
                *Mbps * 125'000.0 > static_cast<double>(bandwidth_max_Bps)) {
                return fail(*nets.front(),
                            "speed=\"" + speed + "\" of <net> is not the rate of a network",
                            "see NCCL's own file: it is in megabits per second");
            }
            adapter.rail_Bps = static_cast<std::uint64_t>(std::round(*Mbps * 125'000.0));
        }
        adapter.pcie_Bps = is_bridge ? std::nullopt : pcie_Bps(pci);
        auto const dev = whole_number(text_of(*nets.front(), "dev"), 1'000'000);
        rails_.emplace(std::pair{dump_.cpus.back().host, dev.value_or(0)}, adapter);
    }

    /// Numbers GPUs by host, then by CUDA device number.
    void number_gpus(XmlElement const& system) {
        if (found_.empty()) {
            return fail(
                system, "no <gpu> below a <cpu>", "give the file that NCCL_TOPO_DUMP_FILE names");
        }
        std::ranges::stable_sort(found_, {}, [](GpuFound const& gpu) {
            return std::pair{gpu.host, gpu.dev};
        });
        for (std::uint32_t i = 0; i < found_.size(); ++i) {
            GpuFound const& gpu = found_[i];
            bool const is_twice =
                i > 0 && found_[i - 1].host == gpu.host && found_[i - 1].dev == gpu.dev;
            if (is_twice) {
                return fail(*gpu.element, "two GPUs have one dev", "number them from 0");
            }
            buses_[{gpu.host, gpu.bus}] = i;
            DumpedGpu dumped;
            dumped.above = gpu.above;
            dumped.pcie_Bps = gpu.pcie_Bps;
            dump_.gpus.push_back(std::move(dumped));
        }
        if (found_.front().host == found_.back().host && found_.back().dev + 1 != found_.size()) {
            std::string const list = joined_text(found_, ", ", &GpuFound::dev);
            dump_.note("the GPUs are dev " + list + ", in this order");
        }
    }

    void recognise(XmlElement const& /*system*/) {
        std::vector<GpuEvidence> evidence;
        for (GpuFound const& gpu : found_) {
            GpuEvidence one;
            one.place = place_of(*gpu.element);
            one.pci_device = whole_number(lower_case(text_of(*gpu.pci, "device")), 0xffff);
            one.sm = whole_number(text_of(*gpu.element, "sm"), 10'000);
            one.sm = one.sm == 0U ? std::nullopt : one.sm;
            evidence.push_back(std::move(one));
        }
        if (auto const known = recognise_gpus(dump_, evidence, options_, file_); !known) {
            error_ = known.error();
        }
    }

    void add_all_links(XmlElement const& /*system*/) {
        for (std::uint32_t i = 0; i < found_.size() && !error_; ++i) {
            add_links(i);
        }
        if (!error_) {
            add_switches();
            join_peers();
        }
    }

    void add_links(std::uint32_t i) {
        GpuFound const& found = found_[i];
        DumpedGpu& gpu = dump_.gpus[i];
        std::uint32_t sum = 0;
        for (XmlElement const* link : children_of(*found.element, "nvlink")) {
            std::string const target = bus_of(attribute(*link, "target"));
            std::uint32_t const count = number(*link, "count");
            sum = std::min(sum + count, nvlinks_max + 1);
            if (count > 0) {
                add_nvlink(i, *link, target, count);
            }
        }
        GpuSheet const& sheet = sheet_of(dump_, i);
        if (sum > 0 && sheet.nvlinks == 0) {
            fail(*found.element,
                 "the GPU has NVLinks, and " + sheet.name + " has none",
                 "name the GPU with " + setting("gpu"));
        } else if (sum > nvlinks_max) {
            fail(*found.element, "more than 1,023 NVLinks", "see NCCL's own file");
        } else if (sum > sheet.nvlinks) {
            dump_.note("gpu" + std::to_string(i) + " has " + std::to_string(sum) +
                       " NVLinks, more than " + sheet.name + "'s " + std::to_string(sheet.nvlinks));
        }
        for (XmlElement const* c2c : children_of(*found.element, "c2c")) {
            auto const Mbps = leading_number(attribute(*c2c, "bw")); // megabytes per second
            std::uint32_t const count = number(*c2c, "count");
            double const bandwidth = Mbps ? std::round(*Mbps * 1e6 * count) : 0.0;
            bool const is_rate = bandwidth >= static_cast<double>(bandwidth_min_Bps) &&
                                 bandwidth <= static_cast<double>(bandwidth_max_Bps);
            if (!is_rate) {
                fail(*c2c,
                     "bw=\"" + text_of(*c2c, "bw") + "\" and count=\"" + text_of(*c2c, "count") +
                         "\" of <c2c> are not a rate",
                     "see NCCL's own file: bw is in megabytes per second");
                return;
            }
            gpu.c2c_Bps += static_cast<std::uint64_t>(bandwidth);
        }
        if (gpu.c2c_Bps > bandwidth_max_Bps) {
            fail(*found.element, "NVLink-C2C is wider than any link", "see NCCL's own file");
        }
        if (gpu.c2c_Bps > 0 || gpu.cpu_nvlinks > 0) {
            dump_.note(std::string("GPUs reach their CPU by ") +
                       (gpu.c2c_Bps > 0 ? "NVLink-C2C" : "NVLink") + ", in place of PCIe");
            gpu.above.bridge.reset();
            gpu.pcie_Bps.reset();
        }
    }

    void add_nvlink(std::uint32_t i,
                    XmlElement const& link,
                    std::string const& target,
                    std::uint32_t count) {
        GpuFound const& found = found_[i];
        std::string const kind = lower_case(text_of(link, "tclass"));
        auto const other = buses_.find({found.host, target});
        if (other != buses_.end()) {
            // Every pair is listed twice, once from each side.
            if (other->second == i) {
                return fail(link, "an NVLink ends at its own GPU", "see the target");
            }
            PeerSide& side = peers_[{i, other->second}];
            side.count += count;
            side.element = &link;
        } else if (kind.starts_with(nvswitch_class) || (kind.empty() && is_fabric(target))) {
            switches_[i][target] += count;
        } else if (kind.starts_with(power_cpu_class)) {
            dump_.gpus[i].cpu_nvlinks += count;
            for (DumpedCpu& cpu : dump_.cpus) {
                bool const is_other = cpu.model && cpu.model->arch != "ppc64";
                if (is_other) {
                    dump_.note(
                        "GPUs have NVLinks to CPUs, as POWER9 has them, though the file names " +
                        (cpu.model->vendor.empty() ? cpu.model->arch : cpu.model->vendor));
                }
                cpu.model = CpuModel{"ppc64", "", 0, 0};
            }
        } else if (kind.empty()) {
            unclassified_[target].emplace_back(i, count);
        } else {
            dump_.note(kind.starts_with(display_class)
                           ? "NVLinks to GPUs that are not in the file are left out"
                           : "NVLinks to devices of class " + kind + " are left out");
        }
    }

    /// GPUs with NVLinks to one switch share it; partitions of a machine use several. If the file
    /// lacks a target's class, only a target of at least two GPUs is a switch.
    void add_switches() {
        for (auto const& [target, ends] : unclassified_) {
            if (ends.size() < 2) {
                dump_.note("NVLinks to GPUs that are not in the file are left out");
                continue;
            }
            for (auto const& [gpu, count] : ends) {
                switches_[gpu][target] += count;
            }
        }
        JoinedSets sets(found_.size());
        std::map<std::string, std::uint32_t> first_gpu; // by target
        for (auto const& [gpu, targets] : switches_) {
            for (auto const& [target, count] : targets) {
                std::string const host =
                    is_fabric(target) ? "" : std::to_string(found_[gpu].host) + " ";
                sets.join(first_gpu.emplace(host + target, gpu).first->second, gpu);
            }
        }
        std::map<std::size_t, std::uint32_t> numbers; // by set
        for (auto const& [gpu, targets] : switches_) {
            auto const next = static_cast<std::uint32_t>(numbers.size());
            auto const number = numbers.emplace(sets.find(gpu), next).first->second;
            for (auto const& [target, count] : targets) {
                dump_.gpus[gpu].switch_nvlinks[number] += count;
            }
        }
    }

    void join_peers() {
        for (auto const& [pair, side] : peers_) {
            auto const back = peers_.find({pair.second, pair.first});
            if (back == peers_.end() || back->second.count != side.count) {
                return fail(*side.element,
                            "gpu" + std::to_string(std::min(pair.first, pair.second)) + " and gpu" +
                                std::to_string(std::max(pair.first, pair.second)) +
                                " do not name the same NVLinks to each other",
                            "give both GPUs one <nvlink> with the same count");
            }
            dump_.peer_nvlinks[std::minmax(pair.first, pair.second)] = side.count;
        }
    }

    /// Checks that several machines in one file share an NVSwitch.
    void check_hosts(XmlElement const& system) {
        std::set<std::uint32_t> hosts;
        bool is_joined = true;
        for (DumpedGpu const& gpu : dump_.gpus) {
            hosts.insert(dump_.cpus[gpu.above.cpu].host);
            is_joined &= gpu.switch_nvlinks.contains(0);
        }
        if (hosts.size() > 1 && !is_joined) {
            return fail(system,
                        "holds " + std::to_string(hosts.size()) +
                            " hosts (host_hash) without an NVSwitch in common",
                        "give the file of one host, and 'cluster:FILE:" +
                            std::to_string(hosts.size()) + "' as the platform");
        }
        if (hosts.size() > 1) {
            dump_.note("the file is of " + std::to_string(hosts.size()) + " hosts on one NVSwitch");
        }
    }

    std::string file_;
    ImportOptions const& options_;
    std::optional<InputError> error_;
    MachineDump dump_;
    std::set<std::string> bridges_;
    std::multimap<std::pair<std::uint32_t, std::uint32_t>, DumpedAdapter> rails_; ///< host, dev
    std::vector<GpuFound> found_;
    std::map<Bus, std::uint32_t> buses_;                                     ///< number of the GPU
    std::map<std::uint32_t, std::map<std::string, std::uint32_t>> switches_; ///< GPU -> target
    std::map<std::string, std::vector<std::pair<std::uint32_t, std::uint32_t>>> unclassified_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, PeerSide> peers_; ///< from, to
};

/// Blanks terminal lines around the file that contain no element; line numbers are kept.
std::string without_prompts(std::string text) {
    std::size_t const begin = std::min(text.find("<system"), text.find("<?xml"));
    if (begin != std::string::npos && text.find('<') == begin) {
        std::replace_if(
            text.begin(),
            text.begin() + static_cast<std::ptrdiff_t>(begin),
            [](char letter) { return letter != '\n'; },
            ' ');
    }
    constexpr std::string_view end = "</system>\n";
    std::size_t const last = text.rfind(end);
    if (last != std::string::npos && text.find('<', last + end.size()) == std::string::npos) {
        text.resize(last + end.size());
    }
    return text;
}

} // namespace

bool is_nccl_xml(std::string_view text) {
    std::string const plain = plain_dump_text(text);
    std::size_t const first = plain.find_first_not_of(" \n\t");
    bool const begins_with_markup = first != std::string::npos && plain[first] == '<';
    return plain.find("<system") < plain.find("GPU0") ||
           (begins_with_markup && plain.find("GPU0") == std::string::npos);
}

Expected<MachineDump>
read_nccl_xml(std::string_view text, std::string_view file, ImportOptions const& options) {
    return parse_xml_elements(without_prompts(plain_dump_text(text)), file)
        .and_then([&](XmlElement const& system) { return NcclImport(file, options).read(system); });
}

} // namespace keyswap::simulator
