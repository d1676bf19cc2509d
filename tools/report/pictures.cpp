#include "tools/report/pictures.hpp"

#include "simulator/platform/topology_draw.hpp"
#include "tools/report/bucket_flow.hpp"
#include "tools/report/run_data.hpp"
#include "tools/text/bucket_name.hpp"
#include "tools/text/number_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

namespace keyswap::tools {

namespace {

constexpr std::size_t gpus_drawn_max = 16;
constexpr std::size_t spanning_drawn_max = 24; ///< of a pass
constexpr std::string_view strong_fill = "\"#16202b\", fontcolor=\"white\"";

/// Colours of Okabe and Ito, as the page has them, lighter where letters stand on them.
std::string gpu_colour(std::size_t gpu) {
    constexpr std::array<char const*, 8> colours{
        "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b5a800", "#8c8c8c"};
    return colours[gpu % colours.size()];
}

std::string dot_text(std::string_view text) {
    std::string result = "\"";
    for (char const letter : text) {
        if (letter == '\n') {
            result += "\\n";
            continue;
        }
        if (letter == '"' || letter == '\\') {
            result += '\\';
        }
        result += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
    }
    return result + "\"";
}

std::string begin_graph(std::string_view name, std::string const& label, char const* direction) {
    return "digraph " + std::string(name) + " {\n  graph [rankdir=" + direction +
           ", fontname=\"sans-serif\", label=" + dot_text(label) +
           ", labelloc=t];\n  node [fontname=\"sans-serif\", fontsize=11, shape=box, style=filled, "
           "fillcolor=\"#eef2f6\"];\n  edge [fontname=\"sans-serif\", fontsize=9, "
           "arrowhead=none];\n";
}

/// 0.5 to 9 points for a share of all keys.
double pen_width(std::uint64_t keys, std::uint64_t all) {
    double const share =
        static_cast<double>(keys) / static_cast<double>(std::max<std::uint64_t>(1, all));
    return std::clamp(22.0 * share, 0.5, 9.0);
}

/// GPUs that share a node of the drawing.
struct Blocks {
    std::size_t gpus = 0;
    std::size_t size = 1;
    explicit Blocks(std::size_t gpu_count)
        : gpus(gpu_count),
          size(std::max<std::size_t>(1, (gpu_count + gpus_drawn_max - 1) / gpus_drawn_max)) {}
    [[nodiscard]] std::size_t count() const { return (gpus + size - 1) / size; }
    [[nodiscard]] std::string name(std::size_t block) const {
        std::size_t const first = block * size;
        std::size_t const last = std::min(first + size, gpus) - 1;
        return first == last ? "GPU " + std::to_string(first)
                             : "GPUs " + std::to_string(first) + "-" + std::to_string(last);
    }
    [[nodiscard]] std::vector<std::uint64_t> sums(std::vector<std::uint64_t> const& by_gpu) const {
        std::vector<std::uint64_t> result(count(), 0);
        for (std::size_t gpu = 0; gpu < by_gpu.size(); ++gpu) {
            result[gpu / size] += by_gpu[gpu];
        }
        return result;
    }
};

void write_ends(std::ostream& out, Blocks const& blocks, char prefix, char const* rank) {
    out << "  { rank=" << rank << ";\n";
    for (std::size_t block = 0; block < blocks.count(); ++block) {
        out << "    " << prefix << block << " [label=" << dot_text(blocks.name(block))
            << ", fillcolor=\"" << gpu_colour(block) << "\"];\n";
        if (block > 0) { // keeps them in order
            out << "    " << prefix << block - 1 << " -> " << prefix << block
                << " [style=invis];\n";
        }
    }
    out << "  }\n";
}

/// The bucket that `placement` refines.
BucketPrefix parent_of(model::BucketSpace const& space, PlacementRecord const& placement) {
    int const bits = space.bits_of(placement.bucket.pass);
    return {placement.bucket.pass - 1, placement.bucket.prefix >> bits};
}

std::string node_of(BucketPrefix bucket) {
    return "b" + std::to_string(bucket.pass) + "_" + std::to_string(bucket.prefix);
}

/// What one spanning bucket was refined into.
struct Children {
    std::vector<PlacementRecord const*> spanning;
    std::uint64_t placed = 0;
    std::uint64_t placed_keys = 0;
    std::uint32_t first = ~0U;
    std::uint32_t last = 0;
};

std::map<BucketPrefix, Children> children_of(RunView const& view, model::BucketSpace const& space) {
    std::map<BucketPrefix, Children> all;
    for (PassView const& pass : view.passes) {
        for (PlacementRecord const& placement : pass.placements) {
            if (pass.pass < 1 || pass.pass > space.pass_count()) {
                continue;
            }
            Children& children = all[parent_of(space, placement)];
            if (placement.state != PlacementState::placed) {
                children.spanning.push_back(&placement);
                continue;
            }
            children.placed += 1;
            children.placed_keys += placement.end - placement.begin;
            children.first = std::min(children.first, placement.first.value);
            children.last = std::max(children.last, placement.first.value);
        }
    }
    return all;
}

void write_children(std::ostream& out,
                    RunView const& view,
                    model::BucketSpace const& space,
                    BucketPrefix parent,
                    Children const& children,
                    std::size_t room) {
    std::string const from = node_of(parent);
    std::size_t drawn = 0;
    for (PlacementRecord const* placement : children.spanning) {
        if (++drawn > room) {
            out << "  " << from << "_more [label="
                << dot_text(format_count(children.spanning.size() - room) + " more that fit no GPU")
                << ", style=dashed];\n  " << from << " -> " << from << "_more;\n";
            break;
        }
        std::uint64_t const keys = placement->end - placement->begin;
        out << "  " << node_of(placement->bucket) << " [label="
            << dot_text(bucket_name(space, view.header, placement->bucket) + "\n" +
                        percent_label(keys, view.header.key_count) + ", GPU " +
                        std::to_string(placement->first.value) + " to " +
                        std::to_string(placement->last.value) +
                        (placement->state == PlacementState::cut ? "\none value: cut" : ""))
            << ", fillcolor=" << strong_fill << "];\n  " << from << " -> "
            << node_of(placement->bucket)
            << " [penwidth=" << printed("%.2f", pen_width(keys, view.header.key_count)) << "];\n";
    }
    if (children.placed > 0) {
        out << "  " << from << "_placed [label="
            << dot_text(format_count(children.placed) +
                        (children.placed == 1 ? " bucket placed\n" : " buckets placed\n") +
                        percent_label(children.placed_keys, view.header.key_count) +
                        (children.first == children.last
                             ? ", GPU " + std::to_string(children.first)
                             : ", GPUs " + std::to_string(children.first) + " to " +
                                   std::to_string(children.last)))
            << "];\n  " << from << " -> " << from << "_placed [penwidth="
            << printed("%.2f", pen_width(children.placed_keys, view.header.key_count)) << "];\n";
    }
}

} // namespace

std::string topology_picture(simulator::Machine const& machine,
                             simulator::Simulation const& simulation) {
    std::map<std::string, double, std::less<>> means;
    for (simulator::ChannelUse const& use : simulation.timeline.channels) {
        means[use.name] = use.mean_Bps;
    }
    simulator::LinkUseTable used;
    for (simulator::Link const& link : machine.platform.links) {
        used[link.name] = std::max(means[link.name + ": " + link.from + " > " + link.to],
                                   means[link.name + ": " + link.to + " > " + link.from]);
    }
    return simulator::draw_topology(machine.platform, used);
}

std::string flow_picture(RunView const& view) {
    BucketFlow const flow = bucket_flow_of(view);
    if (flow.groups.empty()) {
        return "";
    }
    Blocks const blocks(view.gpu_count());
    std::ostringstream out;
    out << begin_graph(
        "buckets", view.title + ": from GPUs by buckets of the first pass to GPUs", "LR");
    if (!flow.from.empty()) {
        write_ends(out, blocks, 's', "source");
    }
    write_ends(out, blocks, 'd', "sink");
    for (std::size_t group = 0; group < flow.groups.size(); ++group) {
        BucketFlow::Group const& shown = flow.groups[group];
        out << "  g" << group << " [label="
            << dot_text(shown.label + "\n" +
                        (shown.spanning       ? ""
                         : shown.buckets == 1 ? "1 bucket, "
                                              : format_count(shown.buckets) + " buckets, ") +
                        percent_label(shown.keys, view.header.key_count));
        if (shown.spanning) {
            out << ", fillcolor=" << strong_fill;
        }
        out << "];\n";
        auto const edges = [&](std::vector<std::uint64_t> const& keys, bool to_group) {
            for (std::size_t block = 0; block < keys.size(); ++block) {
                if (keys[block] > 0) {
                    out << "  "
                        << (to_group
                                ? "s" + std::to_string(block) + " -> g" + std::to_string(group)
                                : "g" + std::to_string(group) + " -> d" + std::to_string(block))
                        << " [penwidth="
                        << printed("%.2f", pen_width(keys[block], view.header.key_count))
                        << ", color=\"" << gpu_colour(block)
                        << "a0\", tooltip=" << dot_text(format_count(keys[block]) + " keys")
                        << "];\n";
                }
            }
        };
        if (!flow.from.empty()) {
            edges(blocks.sums(flow.from[group]), true);
        }
        edges(blocks.sums(flow.to[group]), false);
    }
    out << "}\n";
    return out.str();
}

std::string passes_picture(RunView const& view) {
    if (view.passes.empty() || view.header.key_count == 0) {
        return "";
    }
    model::BucketSpace const space = view.bucket_space();
    std::ostringstream out;
    out << begin_graph(
        "passes", view.title + ": what each pass makes of the buckets that fit no GPU", "TB");
    out << "  " << node_of({0, 0})
        << " [label=" << dot_text("all " + format_count(view.header.key_count) + " keys")
        << ", fillcolor=" << strong_fill << "];\n";
    std::map<int, std::size_t> room;
    std::set<BucketPrefix> drawn{{0, 0}};
    for (auto const& [parent, children] : children_of(view, space)) {
        if (!drawn.contains(parent)) {
            continue;
        }
        std::size_t& used = room[parent.pass + 1];
        std::size_t const left = spanning_drawn_max - std::min(used, spanning_drawn_max);
        write_children(out, view, space, parent, children, left);
        for (std::size_t i = 0; i < std::min(left, children.spanning.size()); ++i) {
            drawn.insert(children.spanning[i]->bucket);
            used += 1;
        }
    }
    out << "}\n";
    return out.str();
}

} // namespace keyswap::tools
