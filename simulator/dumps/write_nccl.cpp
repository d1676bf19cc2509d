#include "simulator/dumps/dump_text.hpp"
#include "simulator/dumps/write_dumps.hpp"
#include "traces/errors/hex_text.hpp"
#include "traces/errors/try.hpp"

namespace keyswap::simulator {
namespace {

/// value / divisor as a decimal without trailing zeros; exact if the divisor's only prime factors
/// are 2 and 5, and 12 decimals suffice.
std::string decimal(std::uint64_t value, std::uint64_t divisor) {
    std::string text = std::to_string(value / divisor);
    std::uint64_t rest = value % divisor;
    std::string digits;
    for (int i = 0; i < 12 && rest > 0; ++i) {
        rest *= 10;
        digits += static_cast<char>('0' + rest / divisor);
        rest %= divisor;
    }
    return digits.empty() ? text : text + "." + digits;
}

class NcclWriter {
  public:
    explicit NcclWriter(MachineDump const& dump) : dump_(dump) {
        // Bridges, GPUs and adapters get consecutive bus numbers, in this order.
        for (std::size_t i = 0; i < dump.bridges.size() + dump.gpus.size() + dump.adapters.size();
             ++i) {
            auto const number = static_cast<std::uint32_t>(i + 1);
            buses_.push_back(hex_text(number / 256, 4) + ":" + hex_text(number % 256, 2) + ":00.0");
        }
    }

    Expected<std::string> write() {
        for (auto const& [pair, count] : dump_.peer_nvlinks) {
            if (host_of(pair.first) != host_of(pair.second)) {
                return input_error(dump_.source,
                                   "has NVLinks from one machine straight to another, which NCCL's "
                                   "file cannot express",
                                   "export it as toml");
            }
        }
        text_ = "<system version=\"1\">\n";
        for (std::uint32_t cpu = 0; cpu < dump_.cpus.size(); ++cpu) {
            write_cpu(cpu);
        }
        text_ += "</system>\n";
        return std::move(text_);
    }

  private:
    [[nodiscard]] std::uint32_t host_of(std::uint32_t gpu) const {
        return dump_.cpus[dump_.gpus[gpu].above.cpu].host;
    }
    [[nodiscard]] std::string const& bus_of_gpu(std::size_t gpu) const {
        return buses_[dump_.bridges.size() + gpu];
    }

    void line(std::size_t depth, std::string const& text) {
        text_ += std::string(2 * depth, ' ') + text + "\n";
    }

    void write_cpu(std::uint32_t cpu) {
        DumpedCpu const& node = dump_.cpus[cpu];
        std::uint32_t number = 0; // within its host
        for (std::uint32_t other = 0; other < cpu; ++other) {
            number += dump_.cpus[other].host == node.host ? 1 : 0;
        }
        std::string head = "<cpu";
        head +=
            has_several_hosts(dump_) ? " host_hash=\"0x" + hex_text(node.host + 1, 4) + "\"" : "";
        head += " numaid=\"" + std::to_string(number) + "\" arch=\"" +
                (node.model ? node.model->arch : "x86_64") + "\"";
        if (node.model && !node.model->vendor.empty()) {
            head += " vendor=\"" + node.model->vendor + "\" familyid=\"" +
                    std::to_string(node.model->family) + "\" modelid=\"" +
                    std::to_string(node.model->model) + "\"";
        }
        line(1, head + ">");
        write_below({cpu, std::nullopt}, 2);
        line(1, "</cpu>");
    }

    /// Speed for 16 lanes: NCCL multiplies speed and width, so this can express any rate.
    static std::string pcie(std::optional<std::uint64_t> bandwidth_Bps) {
        return bandwidth_Bps ? " link_speed=\"" + decimal(*bandwidth_Bps, 2'000'000'000) +
                                   " GT/s PCIe\" link_width=\"16\""
                             : " link_speed=\"\" link_width=\"0\"";
    }

    void write_below(DumpedPlace const& place, std::size_t depth) {
        for (std::uint32_t i = 0; i < dump_.bridges.size(); ++i) {
            if (dump_.bridges[i].above == place) {
                line(depth,
                     "<pci busid=\"" + buses_[i] + "\" class=\"0x060400\"" +
                         pcie(dump_.bridges[i].pcie_Bps) + ">");
                write_below({place.cpu, i}, depth + 1);
                line(depth, "</pci>");
            }
        }
        for (std::uint32_t i = 0; i < dump_.gpus.size(); ++i) {
            if (dump_.gpus[i].above == place) {
                write_gpu(i, depth);
            }
        }
        for (std::uint32_t i = 0; i < dump_.adapters.size(); ++i) {
            DumpedAdapter const& adapter = dump_.adapters[i];
            if (adapter.above != place) {
                continue;
            }
            line(depth,
                 "<pci busid=\"" + buses_[dump_.bridges.size() + dump_.gpus.size() + i] +
                     "\" class=\"0x020700\"" + pcie(adapter.pcie_Bps) + ">");
            line(depth + 1,
                 "<nic><net name=\"nic" + std::to_string(i) + "\" dev=\"" + std::to_string(i) +
                     "\"" +
                     (adapter.rail_Bps ? " speed=\"" + decimal(*adapter.rail_Bps, 125'000) + "\""
                                       : "") +
                     "/></nic>");
            line(depth, "</pci>");
        }
    }

    void write_gpu(std::uint32_t i, std::size_t depth) {
        DumpedGpu const& gpu = dump_.gpus[i];
        GpuSheet const& sheet = sheet_of(dump_, i);
        std::uint32_t dev = 0; // within its host
        for (std::uint32_t other = 0; other < i; ++other) {
            dev += host_of(other) == host_of(i) ? 1 : 0;
        }
        auto const id = pci_id_of(sheet);
        line(depth,
             "<pci busid=\"" + bus_of_gpu(i) + "\" class=\"0x030200\"" +
                 (id ? " vendor=\"0x10de\" device=\"0x" + hex_text(*id, 4) + "\"" : "") +
                 pcie(gpu.pcie_Bps) + ">");
        line(depth + 1,
             "<gpu dev=\"" + std::to_string(dev) + "\"" +
                 (sheet.sm > 0 ? " sm=\"" + std::to_string(sheet.sm) + "\"" : "") + " rank=\"" +
                 std::to_string(i) + "\" gdr=\"1\">");
        auto const nvlink = [&](std::string const& target, std::uint32_t count, char const* kind) {
            line(depth + 2,
                 "<nvlink target=\"" + target + "\" count=\"" + std::to_string(count) +
                     "\" tclass=\"" + kind + "\"/>");
        };
        for (auto const& [pair, count] : dump_.peer_nvlinks) {
            if (pair.first == i || pair.second == i) {
                nvlink(bus_of_gpu(pair.first == i ? pair.second : pair.first), count, "0x030200");
            }
        }
        for (auto const& [number, count] : gpu.switch_nvlinks) {
            nvlink(number == 0 ? "fffffff:ff:ff.0" : "ffff:" + hex_text(number, 2) + ":00.0",
                   count,
                   "0x068000");
        }
        if (gpu.cpu_nvlinks > 0) {
            nvlink("fffe:" + hex_text(gpu.above.cpu, 2) + ":00.0", gpu.cpu_nvlinks, "0x068001");
        }
        if (gpu.c2c_Bps > 0) {
            line(depth + 2, "<c2c bw=\"" + decimal(gpu.c2c_Bps, 1'000'000) + "\" count=\"1\"/>");
        }
        line(depth + 1, "</gpu>");
        line(depth, "</pci>");
    }

    MachineDump const& dump_;
    std::vector<std::string> buses_;
    std::string text_;
};

} // namespace

Expected<std::string> write_nccl_xml(MachineDump const& dump) {
    return NcclWriter(dump).write();
}

} // namespace keyswap::simulator
