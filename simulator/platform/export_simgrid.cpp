#include "simulator/platform/export_simgrid.hpp"

#include "simulator/platform/topology.hpp"
#include "simulator/platform/units.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/xml_text.hpp"

#include <sstream>

namespace keyswap::simulator {
namespace {

struct Memory {
    std::string name;
    MemoryPlace place;
};

} // namespace

Expected<std::string> export_simgrid(Platform const& platform) {
    KEYSWAP_TRY(auto const topology, Topology::of(platform));
    std::vector<Memory> memories;
    for (std::uint32_t i = 0; i < platform.cpus.size(); ++i) {
        memories.push_back({platform.cpus[i].name, host_memory(i)});
    }
    for (std::uint32_t i = 0; i < platform.gpus.size(); ++i) {
        memories.push_back({platform.gpus[i].name, gpu_memory(i)});
    }
    std::ostringstream out;
    out << "<?xml version='1.0'?>\n"
           "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
           "<!-- Run with network/model:CM02, network/TCP-gamma:0 and network/crosstraffic:0. -->\n"
           "<platform version=\"4.1\">\n  <zone id=\""
        << xml_text(platform.name) << "\" routing=\"Full\">\n";
    for (Memory const& memory : memories) {
        out << "    <host id=\"" << xml_text(memory.name) << "\" speed=\"1Gf\"/>\n";
    }
    // SimGrid attaches latency to links only: the first channel of each direction carries the
    // latency of the link, so that a route's sum is right.
    std::vector<SimTime> latencies(topology.channels().size());
    for (std::uint32_t link = 0; link < platform.links.size(); ++link) {
        SimTime const latency = kind_of(platform, platform.links[link]).latency;
        latencies[topology.link_channels(link, false).front()] = latency;
        latencies[topology.link_channels(link, true).front()] = latency;
    }
    for (std::size_t i = 0; i < topology.channels().size(); ++i) {
        Channel const& channel = topology.channels()[i];
        out << "    <link id=\"" << xml_text(channel.name) << "\" bandwidth=\""
            << shortest_text(channel.capacity_Bps) << "Bps\" latency=\"" << latencies[i].ps
            << "ps\"/>\n";
    }
    for (Memory const& from : memories) {
        for (Memory const& to : memories) {
            auto const route = topology.route(from.place, to.place);
            if (from.place == to.place || !route) {
                continue;
            }
            out << "    <route src=\"" << xml_text(from.name) << "\" dst=\"" << xml_text(to.name)
                << "\" symmetrical=\"no\">";
            for (ChannelShare const& share : route->shares) {
                out << "<link_ctn id=\"" << xml_text(topology.channels()[share.channel].name)
                    << "\"/>";
            }
            out << "</route>\n";
        }
    }
    out << "  </zone>\n</platform>\n";
    return out.str();
}

} // namespace keyswap::simulator
