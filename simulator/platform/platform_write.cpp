#include "simulator/platform/link_losses.hpp"
#include "simulator/platform/platform.hpp"
#include "simulator/platform/running_cost.hpp"
#include "simulator/platform/storage.hpp"
#include "simulator/platform/toml_text.hpp"
#include "simulator/platform/units.hpp"
#include "traces/errors/try.hpp"

#include <sstream>

namespace keyswap::simulator {
namespace {

/// Shortest text that reads back equal, always with a decimal point: TOML distinguishes 1 from 1.0.
std::string toml_number(double value) {
    std::string const text = shortest_text(value);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

class Writer {
  public:
    /// One of several tables of that name.
    void table(std::string_view name) { out_ << "\n[[" << name << "]]\n"; }
    void only_table(std::string_view name) { out_ << "\n[" << name << "]\n"; }
    void text(std::string_view key, std::string_view value) {
        out_ << key << " = " << toml_quoted(value) << "\n";
    }
    void texts(std::string_view key, std::vector<std::string> const& values) {
        out_ << key << " = [";
        for (std::size_t i = 0; i < values.size(); ++i) {
            out_ << (i == 0 ? "" : ", ") << toml_quoted(values[i]);
        }
        out_ << "]\n";
    }
    void bandwidth(std::string_view key, std::optional<std::uint64_t> value) {
        if (value) {
            text(key, format_bandwidth(*value));
        }
    }
    /// Omits a factor of 1 unless it has an origin.
    void factor(std::string_view key, std::optional<double> value, Origins const& origins) {
        if (value && (*value != 1.0 || origins.contains(std::string(key)))) {
            out_ << key << " = " << toml_number(*value) << "\n";
        }
    }
    void count(std::string_view key, std::uint32_t value, Origins const& origins) {
        if (value != 1 || origins.contains(std::string(key))) {
            whole(key, value);
        }
    }
    void whole(std::string_view key, std::uint64_t value) { out_ << key << " = " << value << "\n"; }
    void position(Position const& position) {
        if (position) {
            out_ << "position = [" << toml_number((*position)[0]) << ", "
                 << toml_number((*position)[1]) << "]\n";
        }
    }
    void origins(Origins const& origins) {
        out_ << "origin = {";
        char const* separator = " ";
        for (auto const& [constant, origin] : origins) {
            out_ << separator << constant << " = " << toml_quoted(origin);
            separator = ", ";
        }
        out_ << " }\n";
    }
    [[nodiscard]] std::string result() const { return out_.str(); }

  private:
    std::ostringstream out_;
};

void write_device(Writer& out, Device const& device) {
    out.table("device");
    out.text("name", device.name);
    out.text("profile", device.profile);
    out.text("memory", format_size(device.memory_bytes));
    out.bandwidth("hbm_bandwidth", device.hbm_bandwidth_Bps);
    out.factor("hbm_efficiency", device.hbm_efficiency, device.origins);
    out.count("engines_to_device", device.engines_to_device, device.origins);
    out.count("engines_to_host", device.engines_to_host, device.origins);
    out.count("engines_peer", device.engines_peer, device.origins);
    out.bandwidth("copy_rate_max", device.copy_rate_max_Bps);
    out.origins(device.origins);
}

void write_cpu(Writer& out, Cpu const& cpu) {
    out.table("cpu");
    out.text("name", cpu.name);
    out.whole("socket", cpu.socket);
    if (cpu.machine != 0) {
        out.whole("machine", cpu.machine);
    }
    out.text("memory", format_size(cpu.memory_bytes));
    out.bandwidth("memory_read", cpu.memory_read_Bps);
    out.bandwidth("memory_write", cpu.memory_write_Bps);
    out.bandwidth("memory_total", cpu.memory_total_Bps);
    out.factor("memory_read_efficiency", cpu.memory_read_efficiency, cpu.origins);
    out.factor("memory_write_efficiency", cpu.memory_write_efficiency, cpu.origins);
    out.factor("memory_total_efficiency", cpu.memory_total_efficiency, cpu.origins);
    out.factor("memory_write_cost", cpu.memory_write_cost, cpu.origins);
    out.position(cpu.position);
    out.origins(cpu.origins);
}

void write_link_kind(Writer& out, LinkKind const& kind) {
    out.table("link_kind");
    out.text("name", kind.name);
    out.bandwidth("bandwidth", kind.bandwidth_Bps);
    out.bandwidth("bandwidth_back", kind.bandwidth_back_Bps);
    out.bandwidth("bandwidth_total", kind.bandwidth_total_Bps);
    out.factor("efficiency", kind.efficiency, kind.origins);
    if (kind.efficiency_back) {
        Origins const always{{"efficiency_back", ""}};
        out.factor("efficiency_back", kind.efficiency_back, always);
    }
    out.factor("efficiency_total", kind.efficiency_total, kind.origins);
    for (auto const& [key, field] : link_losses) {
        out.factor(key, kind.*field, kind.origins);
    }
    out.text("latency", format_time(kind.latency));
    out.origins(kind.origins);
}

void write_running_cost(Writer& out, RunningCost const& cost) {
    out.only_table("running");
    out.whole("power_W", cost.power_W);
    if (cost.price_cent != 0) {
        out.whole("price_cent", cost.price_cent);
    }
    out.text("origin", cost.origin);
}

} // namespace

std::string write_storage(Storage const& storage) {
    Writer out;
    out.only_table("storage");
    out.bandwidth("read", storage.read_Bps);
    out.bandwidth("write", storage.write_Bps);
    out.bandwidth("total", storage.total_Bps);
    out.text("latency", format_time(storage.latency));
    out.text("request_overhead", format_time(storage.request_overhead));
    out.text("sync", format_time(storage.sync));
    out.text("removal", format_time(storage.removal));
    out.factor("spread", storage.spread, storage.origins);
    out.origins(storage.origins);
    return out.result();
}

Expected<std::string> write_optional_tables(std::string_view platform) {
    KEYSWAP_TRY(auto const cost, load_running_cost(platform));
    KEYSWAP_TRY(auto const storage, find_storage(platform));
    Writer out;
    if (cost) {
        write_running_cost(out, *cost);
    }
    return out.result() + (storage ? write_storage(*storage) : "");
}

std::string write_platform(Platform const& platform) {
    Writer out;
    out.text("name", platform.name);
    if (!platform.description.empty()) {
        out.text("description", platform.description);
    }
    out.factor("held_out_error", platform.held_out_error, {{"held_out_error", ""}});
    for (Device const& device : platform.devices) {
        write_device(out, device);
    }
    for (Cpu const& cpu : platform.cpus) {
        write_cpu(out, cpu);
    }
    for (Gpu const& gpu : platform.gpus) {
        out.table("gpu");
        out.text("name", gpu.name);
        out.text("device", gpu.device);
        out.position(gpu.position);
    }
    for (Switch const& node : platform.switches) {
        out.table("switch");
        out.text("name", node.name);
        if (node.rail) {
            out.whole("rail", *node.rail);
        }
        out.bandwidth("rail_bandwidth", node.rail_Bps);
        out.position(node.position);
    }
    for (LinkKind const& kind : platform.link_kinds) {
        write_link_kind(out, kind);
    }
    for (Link const& link : platform.links) {
        out.table("link");
        out.text("name", link.name);
        out.text("kind", link.kind);
        out.texts("between", {link.from, link.to});
    }
    for (GivenRoute const& route : platform.routes) {
        out.table("route");
        out.text("from", route.from);
        out.text("to", route.to);
        out.texts("links", route.links);
    }
    return out.result();
}

} // namespace keyswap::simulator
