#include "simulator/study/link_change.hpp"

#include "simulator/platform/topology.hpp"
#include "simulator/platform/units.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace keyswap::simulator {
namespace {

constexpr std::string_view change_separator = " + ";
constexpr std::string_view add_switch_words = "add nvswitch ";
constexpr std::string_view add_bridges_words = "add bridges ";
constexpr std::string_view without_words = "without ";
constexpr std::string_view busy_words = "busy ";
constexpr std::string_view background = "background"; ///< setting

InputError syntax_error(std::string_view text) {
    return InputError{
        setting("link"),
        "'" + std::string(text) + "' is not a change of links",
        "write it as \"xbus x2\", \"rail = 100 GB/s\", \"add nvswitch 300 GB/s\", \"without gpu3\" "
        "or \"busy xbus 20 GB/s\", and several with \" + \" between them"};
}

Expected<std::uint64_t> bandwidth_of(std::string_view text, std::string_view change) {
    auto const bandwidth = parse_bandwidth(text);
    if (!bandwidth) {
        return tl::unexpected(syntax_error(change));
    }
    if (bandwidth->bytes_per_second < bandwidth_min_Bps ||
        bandwidth->bytes_per_second > bandwidth_max_Bps) {
        return input_error(setting("link"),
                           "'" + std::string(text) + "' is not the rate of a link",
                           "give 1 MB/s to 1 PB/s");
    }
    return bandwidth->bytes_per_second;
}

/// Parses "xbus 20 GB/s": a name, possibly with spaces, and a bandwidth; nullopt otherwise.
std::optional<LinkChange> parse_traffic(std::string_view text) {
    std::size_t const unit = text.rfind(' ');
    std::size_t const number =
        unit == std::string_view::npos || unit == 0 ? unit : text.rfind(' ', unit - 1);
    if (number == std::string_view::npos || number == 0) {
        return std::nullopt;
    }
    auto const bandwidth = parse_bandwidth(text.substr(number + 1));
    if (!bandwidth || bandwidth->bytes_per_second > bandwidth_max_Bps) {
        return std::nullopt;
    }
    return LinkChange{LinkChange::Kind::traffic,
                      std::string(text.substr(0, number)),
                      1.0,
                      bandwidth->bytes_per_second};
}

Expected<LinkChange> parse_change(std::string_view text) {
    using Kind = LinkChange::Kind;
    if (text.starts_with(without_words) && text.size() > without_words.size()) {
        return LinkChange{Kind::missing, std::string(text.substr(without_words.size())), 1.0, 0};
    }
    if (text.starts_with(busy_words)) {
        if (auto traffic = parse_traffic(text.substr(busy_words.size()))) {
            return *traffic;
        }
    }
    for (auto const& [words, kind] : {std::pair{add_switch_words, Kind::add_switch},
                                      std::pair{add_bridges_words, Kind::add_bridges}}) {
        if (text.starts_with(words)) {
            return bandwidth_of(text.substr(words.size()), text)
                .map([kind = kind](std::uint64_t bandwidth_Bps) {
                    return LinkChange{kind, "", 1.0, bandwidth_Bps};
                });
        }
    }
    if (std::size_t const equals = text.find(" = ");
        equals != std::string_view::npos && equals > 0) {
        return bandwidth_of(text.substr(equals + 3), text).map([&](std::uint64_t bandwidth_Bps) {
            return LinkChange{
                Kind::bandwidth, std::string(text.substr(0, equals)), 1.0, bandwidth_Bps};
        });
    }
    std::size_t const split = text.rfind(" x");
    if (split != std::string_view::npos && split > 0) {
        auto const factor = parsed_number<double>(text.substr(split + 2));
        if (factor && std::isfinite(*factor) && *factor > 0.0) {
            return LinkChange{Kind::factor, std::string(text.substr(0, split)), *factor, 0};
        }
    }
    return tl::unexpected(syntax_error(text));
}

/// \return false if a bandwidth would be out of range
bool scale(LinkKind& kind, double factor) {
    bool possible = true;
    auto const scaled = [&](std::uint64_t value) {
        double const changed_Bps = static_cast<double>(value) * factor;
        if (!(changed_Bps >= static_cast<double>(bandwidth_min_Bps) &&
              changed_Bps <= static_cast<double>(bandwidth_max_Bps))) {
            possible = false;
            return value;
        }
        return static_cast<std::uint64_t>(std::llround(changed_Bps));
    };
    kind.bandwidth_Bps = scaled(kind.bandwidth_Bps);
    if (kind.bandwidth_back_Bps) {
        kind.bandwidth_back_Bps = scaled(*kind.bandwidth_back_Bps);
    }
    if (kind.bandwidth_total_Bps) {
        kind.bandwidth_total_Bps = scaled(*kind.bandwidth_total_Bps);
    }
    return possible;
}

Expected<void> change_kinds(Platform& platform, LinkChange const& change) {
    KnownNames known;
    bool found = false;
    for (LinkKind& kind : platform.link_kinds) {
        known.add(kind.name);
        if (kind.name.find(change.pattern) == std::string::npos) {
            continue;
        }
        found = true;
        double const factor = change.kind == LinkChange::Kind::factor
                                  ? change.factor
                                  : static_cast<double>(change.bandwidth_Bps) /
                                        static_cast<double>(kind.bandwidth_Bps);
        if (!scale(kind, factor)) {
            return input_error(setting("link"),
                               "'" + kind.name +
                                   "' would have less than 1 MB/s or more than 1 PB/s",
                               "give a factor nearer to 1");
        }
    }
    if (!found) {
        return input_error(setting("link"),
                           "no kind of link is named like '" + change.pattern + "'",
                           known.remedy(change.pattern, "kinds: "));
    }
    return {};
}

Expected<void> add_links(Platform& platform, LinkChange const& change) {
    std::string const name = "added nvlink";
    bool const again = std::ranges::any_of(platform.link_kinds,
                                           [&](LinkKind const& kind) { return kind.name == name; });
    if (has_several_machines(platform) || again || platform.gpus.size() < 2) {
        return input_error(setting("link"),
                           "links can be added once, between the GPUs of one machine",
                           "change the platform file: 'keyswap topology export --format toml'");
    }
    LinkKind kind;
    kind.name = name;
    kind.bandwidth_Bps = change.bandwidth_Bps;
    kind.efficiency = 0.87; // assumed by shipped platforms for unmeasured NVLink
    kind.latency = microseconds(1);
    kind.origins = {
        {"rest",
         "assumed: as " + setting("link") + " asks, with the part that an H200 server reaches"}};
    platform.link_kinds.push_back(kind);
    std::erase_if(platform.routes, [&](GivenRoute const& route) {
        auto const is_gpu = [&](std::string const& node) {
            return std::ranges::any_of(platform.gpus,
                                       [&](Gpu const& gpu) { return gpu.name == node; });
        };
        return is_gpu(route.from) && is_gpu(route.to);
    });
    if (change.kind == LinkChange::Kind::add_switch) {
        platform.switches.push_back(Switch{"added nvswitch", std::nullopt, std::nullopt});
        for (Gpu const& gpu : platform.gpus) {
            platform.links.push_back(Link{name + " " + gpu.name, name, gpu.name, "added nvswitch"});
        }
        return {};
    }
    for (std::size_t gpu = 0; gpu + 1 < platform.gpus.size(); gpu += 2) {
        std::string const& from = platform.gpus[gpu].name;
        std::string const& to = platform.gpus[gpu + 1].name;
        platform.links.push_back(Link{name + " " + from + "-" + to, name, from, to});
    }
    return {};
}

/// Names that `without` takes, except CPUs: links, GPUs and switches.
KnownNames names_of_parts(Platform const& platform) {
    KnownNames known;
    auto const add = [&known](auto const& parts) {
        for (auto const& part : parts) {
            known.add(part.name);
        }
    };
    add(platform.links);
    add(platform.gpus);
    add(platform.switches);
    return known;
}

/// True if the link has this name, or ends at the node of this name or at a part of that node.
bool belongs_to(Link const& link, std::string const& name) {
    std::string const node = name + ".";
    return link.name == name || link.from == name || link.to == name ||
           link.from.starts_with(node) || link.to.starts_with(node);
}

/// \param before the platform without any change, to recognize parts that are already missing
Expected<void> remove_part(Platform& platform, LinkChange const& change, Platform const& before) {
    std::string const& name = change.pattern;
    auto const is_memory = std::ranges::find(platform.cpus, name, &Cpu::name);
    if (is_memory != platform.cpus.end()) {
        return input_error(setting(change.given_by),
                           "'" + name + "' is a CPU that its GPUs need as their host",
                           "name GPUs or links");
    }
    std::vector<std::string> gone;
    std::erase_if(platform.links, [&](Link const& link) {
        bool const goes = belongs_to(link, name);
        if (goes) {
            gone.push_back(link.name);
        }
        return goes;
    });
    bool const was_there =
        std::ranges::any_of(before.links, [&](Link const& link) { return belongs_to(link, name); });
    if (gone.empty() && was_there) {
        return input_error(
            setting(change.given_by),
            "'" + name + "' is already missing: it, or a part that it needs, was named before",
            "name each part once");
    }
    if (gone.empty()) {
        return input_error(setting(change.given_by),
                           "the platform has no link, GPU, switch or node '" + name + "'",
                           names_of_parts(platform).remedy(name, "parts: "));
    }
    std::erase_if(platform.routes, [&](GivenRoute const& route) {
        return std::ranges::any_of(route.links, [&](std::string const& link) {
            return std::ranges::find(gone, link) != gone.end();
        });
    });
    return {};
}

/// The kind of a link that other traffic uses, each way; nullopt if nothing is left.
std::optional<LinkKind> busy_kind(LinkKind kind, std::uint64_t taken_Bps) {
    auto const left = [taken_Bps](std::uint64_t bandwidth_Bps, double efficiency, double ways) {
        return static_cast<double>(bandwidth_Bps) -
               ways * static_cast<double>(taken_Bps) / efficiency;
    };
    double const back_efficiency = kind.efficiency_back.value_or(kind.efficiency);
    std::uint64_t const back_Bps = kind.bandwidth_back_Bps.value_or(kind.bandwidth_Bps);
    double const forth = left(kind.bandwidth_Bps, kind.efficiency, 1.0);
    double const back = left(back_Bps, back_efficiency, 1.0);
    double const total = kind.bandwidth_total_Bps
                             ? left(*kind.bandwidth_total_Bps, kind.efficiency_total, 2.0)
                             : 0.0;
    auto const least = static_cast<double>(bandwidth_min_Bps);
    if (forth < least || back < least || (kind.bandwidth_total_Bps && total < least)) {
        return std::nullopt;
    }
    kind.name += " beside " + format_bandwidth(taken_Bps);
    kind.bandwidth_Bps = static_cast<std::uint64_t>(forth);
    kind.bandwidth_back_Bps = static_cast<std::uint64_t>(back);
    if (kind.bandwidth_total_Bps) {
        kind.bandwidth_total_Bps = static_cast<std::uint64_t>(total);
    }
    return kind;
}

InputError unknown_link(Platform const& platform, LinkChange const& change) {
    KnownNames known;
    for (LinkKind const& kind : platform.link_kinds) {
        if (std::ranges::find(platform.links, kind.name, &Link::kind) != platform.links.end()) {
            known.add(kind.name);
        }
    }
    for (Link const& link : platform.links) {
        known.add(link.name);
    }
    return InputError{setting(change.given_by),
                      "no link and no kind of link is named '" + change.pattern + "'",
                      known.remedy(change.pattern, "links: ")};
}

/// Adds routes to a busy platform wherever copies would leave the path that they take on the idle
/// one: other traffic slows a copy, but diverts none.
Expected<void> keep_routes(Platform& busy, Platform const& idle) {
    KEYSWAP_TRY(auto const before, Topology::of(idle));
    KEYSWAP_TRY(auto const after, Topology::of(busy));
    std::vector<std::pair<std::string, MemoryPlace>> memories;
    for (std::uint32_t cpu = 0; cpu < idle.cpus.size(); ++cpu) {
        memories.emplace_back(idle.cpus[cpu].name, host_memory(cpu));
    }
    for (std::uint32_t gpu = 0; gpu < idle.gpus.size(); ++gpu) {
        memories.emplace_back(idle.gpus[gpu].name, gpu_memory(gpu));
    }
    for (auto const& [from, source] : memories) {
        for (auto const& [to, destination] : memories) {
            if (source == destination || !before.is_connected(source, destination)) {
                continue;
            }
            std::vector<std::uint32_t> const links = before.route(source, destination)->links;
            if (links == after.route(source, destination)->links) {
                continue;
            }
            GivenRoute& kept = busy.routes.emplace_back(GivenRoute{from, to, {}});
            for (std::uint32_t const link : links) {
                kept.links.push_back(idle.links[link].name);
            }
        }
    }
    return {};
}

/// Subtracts the sum of all traffic from each link, so that its order has no effect.
Expected<void> add_traffic(Platform& platform, std::span<LinkChange const> all_traffic) {
    Platform const idle = platform;
    auto const uses = [](LinkChange const& traffic, Link const& link) {
        return link.name == traffic.pattern || link.kind == traffic.pattern;
    };
    for (LinkChange const& traffic : all_traffic) {
        if (std::ranges::none_of(platform.links,
                                 [&](Link const& link) { return uses(traffic, link); })) {
            return tl::unexpected(unknown_link(platform, traffic));
        }
    }
    for (Link& link : platform.links) {
        std::uint64_t taken_Bps = 0;
        LinkChange const* last = nullptr;
        for (LinkChange const& traffic : all_traffic) {
            if (uses(traffic, link)) {
                taken_Bps += std::min(traffic.bandwidth_Bps, bandwidth_max_Bps - taken_Bps);
                last = &traffic;
            }
        }
        if (last == nullptr) {
            continue;
        }
        auto busy = busy_kind(kind_of(platform, link), taken_Bps);
        if (!busy) {
            return input_error(setting(last->given_by),
                               "traffic of " + format_bandwidth(taken_Bps) +
                                   " each way takes all of '" + link.name + "'",
                               "give a smaller rate");
        }
        link.kind = busy->name;
        if (std::ranges::find(platform.link_kinds, busy->name, &LinkKind::name) ==
            platform.link_kinds.end()) {
            platform.link_kinds.push_back(std::move(*busy));
        }
    }
    return keep_routes(platform, idle);
}

/// Makes a change that is not traffic.
Expected<void> make_change(Platform& platform, LinkChange const& change, Platform const& before) {
    switch (change.kind) {
    case LinkChange::Kind::factor:
    case LinkChange::Kind::bandwidth:
        return change_kinds(platform, change);
    case LinkChange::Kind::missing:
        return remove_part(platform, change, before);
    default:
        return add_links(platform, change);
    }
}

} // namespace

LinkChange missing_part(std::string_view name) {
    return {LinkChange::Kind::missing, std::string(name), 1.0, 0, "without"};
}

Expected<LinkChange> parse_background(std::string_view text) {
    auto traffic = parse_traffic(text);
    if (!traffic) {
        return input_error(
            setting(background),
            "'" + std::string(text) + "' is not a link and a bandwidth",
            "write it as \"xbus 20 GB/s\": a link, or a kind of link, and what other "
            "traffic takes of it each way");
    }
    traffic->given_by = background;
    return *std::move(traffic);
}

Expected<LinkChanges> parse_link_changes(std::string_view text) {
    LinkChanges all{std::string(text), {}};
    while (true) {
        std::size_t const end = std::min(text.find(change_separator), text.size());
        KEYSWAP_TRY(auto change, parse_change(text.substr(0, end)));
        all.changes.push_back(std::move(change));
        if (end == text.size()) {
            return all;
        }
        text.remove_prefix(end + change_separator.size());
    }
}

Expected<Machine> with_link_changes(Machine const& machine, LinkChanges const& changes) {
    Machine changed = machine;
    std::vector<LinkChange> all_traffic; // uses the links as all other changes leave them
    for (LinkChange const& change : changes.changes) {
        if (change.kind == LinkChange::Kind::traffic) {
            all_traffic.push_back(change);
        } else {
            KEYSWAP_RETURN_IF_ERROR(make_change(changed.platform, change, machine.platform));
        }
    }
    if (!all_traffic.empty()) {
        KEYSWAP_RETURN_IF_ERROR(add_traffic(changed.platform, all_traffic));
    }
    return changed;
}

} // namespace keyswap::simulator
