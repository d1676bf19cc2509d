#include "simulator/platform/link_losses.hpp"
#include "simulator/platform/platform.hpp"
#include "simulator/platform/platform_reader.hpp"
#include "simulator/platform/running_cost.hpp"
#include "simulator/platform/storage.hpp"
#include "simulator/platform/toml_text.hpp"
#include "simulator/platform/topology.hpp"
#include "traces/errors/input_limits.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <sstream>

namespace keyswap::simulator {
namespace {

/// Source regions of all entities, for errors found after parsing.
struct Places {
    std::vector<toml::source_region> devices, cpus, gpus, switches, link_kinds, links, routes;
};

std::initializer_list<std::string_view> const device_keys{"profile",
                                                          "memory",
                                                          "hbm_bandwidth",
                                                          "hbm_efficiency",
                                                          "engines_to_device",
                                                          "engines_to_host",
                                                          "engines_peer",
                                                          "copy_rate_max"};

Device read_device(TableReader& table) {
    Device device;
    device.name = table.text("name");
    device.profile = table.text_or("profile", device.name);
    device.memory_bytes = table.size("memory");
    device.hbm_bandwidth_Bps = table.bandwidth("hbm_bandwidth");
    device.hbm_efficiency = table.efficiency("hbm_efficiency");
    device.engines_to_device = table.count("engines_to_device");
    device.engines_to_host = table.count("engines_to_host");
    device.engines_peer = table.count("engines_peer");
    device.copy_rate_max_Bps = table.bandwidth_if("copy_rate_max");
    device.origins = table.origins();
    return device;
}

std::initializer_list<std::string_view> const cpu_keys{"socket",
                                                       "machine",
                                                       "memory",
                                                       "memory_read",
                                                       "memory_write",
                                                       "memory_total",
                                                       "memory_read_efficiency",
                                                       "memory_write_efficiency",
                                                       "memory_total_efficiency",
                                                       "memory_write_cost",
                                                       "position"};

Cpu read_cpu(TableReader& table) {
    Cpu cpu;
    cpu.name = table.text("name");
    cpu.socket = table.number_if("socket").value_or(0);
    cpu.machine = table.number_if("machine").value_or(0);
    cpu.memory_bytes = table.size("memory");
    cpu.memory_read_Bps = table.bandwidth("memory_read");
    cpu.memory_write_Bps = table.bandwidth("memory_write");
    cpu.memory_total_Bps = table.bandwidth_total_if(
        "memory_total", std::max(cpu.memory_read_Bps, cpu.memory_write_Bps));
    cpu.memory_read_efficiency = table.efficiency("memory_read_efficiency");
    cpu.memory_write_efficiency = table.efficiency("memory_write_efficiency");
    cpu.memory_total_efficiency = table.efficiency("memory_total_efficiency");
    cpu.memory_write_cost = table.cost("memory_write_cost");
    cpu.position = table.position();
    cpu.origins = table.origins();
    return cpu;
}

std::initializer_list<std::string_view> const link_kind_keys{"bandwidth",
                                                             "bandwidth_back",
                                                             "bandwidth_total",
                                                             "efficiency",
                                                             "efficiency_back",
                                                             "efficiency_total",
                                                             "efficiency_pieces",
                                                             "efficiency_whole_write",
                                                             "efficiency_single_peer",
                                                             "efficiency_single_read",
                                                             "efficiency_lone_read",
                                                             "efficiency_shared_read",
                                                             "efficiency_shared_write",
                                                             "latency"};

LinkKind read_link_kind(TableReader& table) {
    LinkKind kind;
    kind.name = table.text("name");
    kind.bandwidth_Bps = table.bandwidth("bandwidth");
    kind.bandwidth_back_Bps = table.bandwidth_if("bandwidth_back");
    kind.bandwidth_total_Bps = table.bandwidth_total_if(
        "bandwidth_total", std::max(kind.bandwidth_Bps, kind.bandwidth_back_Bps.value_or(0)));
    kind.efficiency = table.efficiency("efficiency");
    kind.efficiency_back = table.efficiency_if("efficiency_back");
    kind.efficiency_total = table.efficiency("efficiency_total");
    for (auto const& [key, field] : link_losses) {
        kind.*field = table.efficiency(key);
    }
    kind.latency = table.time("latency");
    kind.origins = table.origins();
    return kind;
}

Link read_link(TableReader& table) {
    Link link;
    link.name = table.text("name");
    link.kind = table.text("kind");
    auto const ends = table.texts("between");
    if (ends.size() == 2 && ends[0] != ends[1]) {
        link.from = ends[0];
        link.to = ends[1];
    } else {
        table.report("\"between\" does not name two different nodes",
                     "write between = [\"cpu0\", \"gpu0\"]");
    }
    return link;
}

class PlatformReader {
  public:
    PlatformReader(toml::table const& root, std::string_view file)
        : root_(root), file_(file), log_(file) {}

    Expected<Platform> read() {
        // Each step requires that the previous ones found no mistake.
        for (auto const step : {&PlatformReader::read_tables,
                                &PlatformReader::check_names,
                                &PlatformReader::check_references,
                                &PlatformReader::check_routes}) {
            (this->*step)();
            if (log_.first()) {
                return tl::unexpected(*log_.first());
            }
        }
        MistakeLog others(file_); // their rates may have units of their own
        static_cast<void>(read_storage(root_, others));
        static_cast<void>(read_running_cost(root_, others));
        if (others.first()) {
            return tl::unexpected(*others.first());
        }
        return std::move(platform_);
    }

  private:
    void for_each(std::string_view key,
                  std::initializer_list<std::string_view> allowed,
                  std::vector<toml::source_region>& places,
                  std::function<void(TableReader&)> const& read_one) {
        toml::node const* node = root_.get(key);
        if (node == nullptr) {
            return;
        }
        toml::array const* list = node->as_array();
        if (list == nullptr || !list->is_homogeneous(toml::node_type::table)) {
            log_.report(node->source(),
                        "\"" + std::string(key) + "\" is not a list of tables",
                        "write [[" + std::string(key) + "]] with double brackets");
            return;
        }
        for (toml::node const& entry : *list) {
            auto const expanded = expand_ranges(*entry.as_table(), budget_);
            if (!expanded) {
                log_.report(entry.source(), expanded.error().problem, expanded.error().remedy);
                return;
            }
            for (toml::table const& one : *expanded) {
                TableReader table(one, std::string(key), *entry.as_table(), log_, allowed);
                places.push_back(entry.source());
                read_one(table);
            }
        }
    }

    void check_count(std::size_t count,
                     std::string const& what,
                     std::vector<toml::source_region> const& places) {
        if (count > limit_of(Limit::gpus)) {
            auto const error = beyond_limit(
                Limit::gpus, "", "the platform has " + std::to_string(count) + " " + what);
            log_.report(places.back(), error.problem, error.remedy);
        }
    }

    void read_tables() {
        TableReader root(root_,
                         "platform",
                         root_,
                         log_,
                         {"description",
                          "held_out_error",
                          "running", // read by platform/running_cost
                          "storage", // read by platform/storage
                          "device",
                          "cpu",
                          "gpu",
                          "switch",
                          "link_kind",
                          "link",
                          "route"});
        platform_.name = root.text("name");
        platform_.description = root.text_or("description", "");
        platform_.held_out_error = root.efficiency_if("held_out_error");
        for_each("device", device_keys, places_.devices, [&](TableReader& table) {
            platform_.devices.push_back(read_device(table));
        });
        for_each("cpu", cpu_keys, places_.cpus, [&](TableReader& table) {
            platform_.cpus.push_back(read_cpu(table));
        });
        for_each("gpu", {"device", "position"}, places_.gpus, [&](TableReader& table) {
            platform_.gpus.push_back(
                Gpu{table.text("name"), table.text("device"), table.position()});
        });
        for_each("switch",
                 {"rail", "rail_bandwidth", "position"},
                 places_.switches,
                 [&](TableReader& table) {
                     platform_.switches.push_back(Switch{table.text("name"),
                                                         table.number_if("rail"),
                                                         table.position(),
                                                         table.bandwidth_if("rail_bandwidth")});
                 });
        for_each("link_kind", link_kind_keys, places_.link_kinds, [&](TableReader& table) {
            platform_.link_kinds.push_back(read_link_kind(table));
        });
        for_each("link", {"kind", "between"}, places_.links, [&](TableReader& table) {
            platform_.links.push_back(read_link(table));
        });
        for_each("route", {"from", "to", "links"}, places_.routes, [&](TableReader& table) {
            platform_.routes.push_back(
                GivenRoute{table.text("from"), table.text("to"), table.texts("links")});
        });
        check_count(platform_.gpus.size(), "GPUs", places_.gpus);
        check_count(platform_.cpus.size(), "CPUs", places_.cpus);
        if (platform_.cpus.empty()) {
            log_.report(root_.source(), "the platform has no [[cpu]]", "add the host's NUMA nodes");
        }
    }

    void check_names() {
        auto const check = [&](std::set<std::string>& seen,
                               auto const& entities,
                               std::vector<toml::source_region> const& places) {
            for (std::size_t i = 0; i < entities.size(); ++i) {
                if (!seen.insert(entities[i].name).second) {
                    log_.report(
                        places[i],
                        "duplicate name \"" + entities[i].name + "\"",
                        "give each CPU, GPU, switch, link, kind of link and device its own");
                }
            }
        };
        std::set<std::string> nodes;
        check(nodes, platform_.cpus, places_.cpus);
        check(nodes, platform_.gpus, places_.gpus);
        check(nodes, platform_.switches, places_.switches);
        std::set<std::string> links;
        check(links, platform_.links, places_.links);
        std::set<std::string> kinds;
        check(kinds, platform_.link_kinds, places_.link_kinds);
        std::set<std::string> devices;
        check(devices, platform_.devices, places_.devices);
    }

    void check_references() {
        auto const names = [](auto const&... lists) {
            std::set<std::string> all;
            (std::for_each(
                 lists.begin(), lists.end(), [&](auto const& entry) { all.insert(entry.name); }),
             ...);
            return all;
        };
        auto const require = [&](std::set<std::string> const& known,
                                 std::string const& name,
                                 std::string const& what,
                                 toml::source_region const& place) {
            if (!known.contains(name)) {
                std::string list;
                for (std::string const& entry : known) {
                    list += (list.empty() ? "" : ", ") + entry;
                }
                log_.report(place, "unknown " + what + " \"" + name + "\"", "known: " + list);
            }
        };
        auto const nodes = names(platform_.cpus, platform_.gpus, platform_.switches);
        auto const devices = names(platform_.devices);
        auto const kinds = names(platform_.link_kinds);
        auto const links = names(platform_.links);
        for (std::size_t i = 0; i < platform_.gpus.size(); ++i) {
            require(devices, platform_.gpus[i].device, "device", places_.gpus[i]);
        }
        for (std::size_t i = 0; i < platform_.links.size(); ++i) {
            Link const& link = platform_.links[i];
            require(kinds, link.kind, "kind of link", places_.links[i]);
            require(nodes, link.from, "node", places_.links[i]);
            require(nodes, link.to, "node", places_.links[i]);
        }
        for (std::size_t i = 0; i < platform_.routes.size(); ++i) {
            GivenRoute const& route = platform_.routes[i];
            require(nodes, route.from, "node", places_.routes[i]);
            require(nodes, route.to, "node", places_.routes[i]);
            for (std::string const& link : route.links) {
                require(links, link, "link", places_.routes[i]);
            }
        }
    }

    void check_routes() {
        auto const topology = Topology::of(platform_);
        if (!topology) {
            log_.report(places_.routes.empty() ? root_.source() : places_.routes.front(),
                        topology.error().problem,
                        topology.error().remedy);
            return;
        }
        auto const require =
            [&](MemoryPlace a, MemoryPlace b, std::string const& from, std::size_t to) {
                if (!topology->is_connected(a, b)) {
                    log_.report(places_.gpus[to],
                                "no route from " + from + " to " + platform_.gpus[to].name,
                                "add a [[link]] that joins them; GPUs do not forward");
                }
            };
        for (std::uint32_t gpu = 0; gpu < platform_.gpus.size(); ++gpu) {
            for (std::uint32_t cpu = 0; cpu < platform_.cpus.size(); ++cpu) {
                require(host_memory(cpu), gpu_memory(gpu), platform_.cpus[cpu].name, gpu);
            }
            for (std::uint32_t other = 0; other < gpu; ++other) {
                require(gpu_memory(other), gpu_memory(gpu), platform_.gpus[other].name, gpu);
            }
        }
    }

    toml::table const& root_;
    std::string file_;
    MistakeLog log_;
    RangeBudget budget_;
    Places places_;
    Platform platform_;
};

} // namespace

Expected<toml::table> parse_platform_toml(std::string_view text, std::string_view file) {
    return parse_toml(text, file, "the file is not TOML; quote texts and close brackets");
}

Expected<Platform> parse_platform(std::string_view text, std::string_view file) {
    KEYSWAP_TRY(auto const root, parse_platform_toml(text, file));
    return PlatformReader(root, file).read();
}

} // namespace keyswap::simulator
