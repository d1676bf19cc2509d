#include "simulator/study/gpu_sets.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace keyswap::simulator {

namespace {

/// Capacities along a route, or of the channels that it shares with another route.
using Shape = std::vector<double>;

Shape shape_of(Topology const& topology, Route const& route) {
    Shape shape;
    for (ChannelShare const& share : route.shares) {
        shape.push_back(topology.channels()[share.channel].capacity_Bps);
        shape.push_back(share.weight);
    }
    return shape;
}

Shape shared_shape(Topology const& topology, Route const& one, Route const& other) {
    Shape shape;
    for (ChannelShare const& share : one.shares) {
        bool const shared = std::ranges::any_of(other.shares, [&](ChannelShare const& candidate) {
            return candidate.channel == share.channel;
        });
        if (shared) {
            shape.push_back(topology.channels()[share.channel].capacity_Bps);
        }
    }
    return shape;
}

/// Equivalence class of each ordered pair of GPUs (equal indices: a single GPU).
class Shapes {
  public:
    Shapes(Topology const& topology, ChunkMemories const& memories)
        : gpu_count_(static_cast<std::uint32_t>(memories.input.size())),
          classes_(std::size_t{gpu_count_} * gpu_count_) {
        std::map<std::vector<Shape>, std::uint32_t> known;
        for (std::uint32_t a = 0; a < gpu_count_; ++a) {
            for (std::uint32_t b = 0; b < gpu_count_; ++b) {
                auto const shapes = pair_shapes(topology, memories, a, b);
                auto const number = static_cast<std::uint32_t>(known.size());
                classes_[std::size_t{a} * gpu_count_ + b] =
                    known.emplace(shapes, number).first->second;
            }
        }
    }

    [[nodiscard]] std::vector<std::uint32_t>
    signature(std::vector<std::uint32_t> const& set) const {
        std::vector<std::uint32_t> all;
        for (std::uint32_t const a : set) {
            for (std::uint32_t const b : set) {
                all.push_back(classes_[std::size_t{a} * gpu_count_ + b]);
            }
        }
        return all;
    }

  private:
    static std::vector<Shape> pair_shapes(Topology const& topology,
                                          ChunkMemories const& memories,
                                          std::uint32_t a,
                                          std::uint32_t b) {
        auto const in_a = topology.route(memories.input[a], gpu_memory(a));
        auto const in_b = topology.route(memories.input[b], gpu_memory(b));
        auto const out_a = topology.route(gpu_memory(a), memories.output[a]);
        auto const out_b = topology.route(gpu_memory(b), memories.output[b]);
        auto const peer = topology.route(gpu_memory(a), gpu_memory(b));
        std::vector<Shape> shapes;
        if (in_a && in_b && out_a && out_b) {
            shapes.push_back(shape_of(topology, *in_a));
            shapes.push_back(shape_of(topology, *out_a));
            shapes.push_back(shared_shape(topology, *in_a, *in_b));
            shapes.push_back(shared_shape(topology, *out_a, *out_b));
        }
        if (peer && in_a) {
            shapes.push_back(shape_of(topology, *peer));
            shapes.push_back(shared_shape(topology, *peer, *in_a));
        }
        return shapes;
    }

    std::uint32_t gpu_count_;
    std::vector<std::uint32_t> classes_; ///< [gpu_count * gpu_count]
};

/// Advances to the next set in lexicographic order; false after the last.
bool advance(std::vector<std::uint32_t>& set, std::uint32_t gpu_count) {
    auto const size = static_cast<std::uint32_t>(set.size());
    for (std::uint32_t place = size; place-- > 0;) {
        if (set[place] < gpu_count - size + place) {
            std::iota(set.begin() + place, set.end(), set[place] + 1);
            return true;
        }
    }
    return false;
}

} // namespace

std::vector<GpuSetClass>
gpu_set_classes(Topology const& topology, ChunkMemories const& memories, std::uint32_t size) {
    auto const gpu_count = static_cast<std::uint32_t>(memories.input.size());
    KEYSWAP_EXPECTS(size >= 1 && size <= gpu_count && memories.output.size() == gpu_count);
    Shapes const shapes(topology, memories);
    std::map<std::vector<std::uint32_t>, std::size_t> known;
    std::vector<GpuSetClass> classes;
    std::vector<std::uint32_t> set(size);
    std::iota(set.begin(), set.end(), 0U);
    do {
        auto const [entry, is_new] = known.emplace(shapes.signature(set), classes.size());
        if (is_new) {
            classes.push_back({set, 1});
        } else {
            ++classes[entry->second].sets;
        }
    } while (advance(set, gpu_count));
    return classes;
}

bool has_links(Platform const& platform, std::uint32_t gpu) {
    std::string const& name = platform.gpus[gpu].name;
    return std::ranges::any_of(
        platform.links, [&name](Link const& link) { return link.from == name || link.to == name; });
}

} // namespace keyswap::simulator
