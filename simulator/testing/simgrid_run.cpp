#include "simulator/testing/simgrid_run.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <ctime>
#include <simgrid/s4u.hpp>
#include <string>

namespace keyswap::simulator {

namespace s4u = simgrid::s4u;

namespace {

/// CPU time of this process, hardly affected by other programs on the machine.
double process_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// With equal latencies, latency-weighted fairness is plain max-min fairness; TCP-gamma 0 removes
/// the bound by the TCP window, crosstraffic 0 the bandwidth of acknowledgements.
s4u::Engine make_engine() {
    static std::string arguments[] = {"keyswap",
                                      "--log=root.threshold:error",
                                      "--cfg=network/model:CM02",
                                      "--cfg=network/TCP-gamma:0",
                                      "--cfg=network/crosstraffic:0",
                                      "--cfg=network/bandwidth-factor:1",
                                      "--cfg=network/latency-factor:1",
                                      "--cfg=network/weight-S:0",
                                      "--cfg=maxmin/precision:1e-9",
                                      "--cfg=surf/precision:1e-12"};
    std::vector<char*> argv;
    for (std::string& argument : arguments) {
        argv.push_back(argument.data());
    }
    int argc = static_cast<int>(argv.size());
    return s4u::Engine(&argc, argv.data());
}

} // namespace

double copy_seconds_in_simgrid(std::string const& platform_file,
                               std::string const& source,
                               std::string const& destination,
                               std::uint64_t size_bytes) {
    s4u::Engine engine = make_engine();
    engine.load_platform(platform_file);
    s4u::Host* const from = s4u::Host::by_name(source);
    s4u::Host* const to = s4u::Host::by_name(destination);
    double seconds = 0.0;
    s4u::Actor::create("sender", from, [&] {
        s4u::Comm::sendto(from, to, size_bytes);
        seconds = s4u::Engine::get_clock();
    });
    engine.run();
    return seconds;
}

SimGridEnds run_in_simgrid(FlowScenario const& scenario, std::vector<double> const& ceilings_Bps) {
    s4u::Engine engine = make_engine();
    auto* zone = s4u::create_full_zone("zone");
    constexpr double latency_seconds = 1e-6;
    double const wide_Bps =
        10.0 * *std::max_element(scenario.capacities_Bps.begin(), scenario.capacities_Bps.end());
    std::vector<s4u::Link*> links;
    for (std::size_t i = 0; i < scenario.capacities_Bps.size(); ++i) {
        links.push_back(zone->create_link("channel" + std::to_string(i), scenario.capacities_Bps[i])
                            ->set_latency(0.0));
        links.back()->seal();
    }
    // The fewest hosts with a pair for each flow: the routing table is quadratic in them.
    std::size_t host_count = 2;
    while (host_count * (host_count - 1) < scenario.routes.size()) {
        ++host_count;
    }
    std::vector<s4u::Host*> hosts;
    for (std::size_t i = 0; i < host_count; ++i) {
        hosts.push_back(zone->create_host("host" + std::to_string(i), 1e9)->seal());
    }
    std::vector<std::pair<s4u::Host*, s4u::Host*>> ends;
    for (std::size_t i = 0; i < scenario.routes.size(); ++i) {
        std::size_t const first = i / (host_count - 1);
        std::size_t const second = i % (host_count - 1);
        auto* from = hosts[first];
        auto* to = hosts[second + (second >= first ? 1 : 0)];
        // Each flow has its own link, for its latency and its ceiling.
        double const ceiling_Bps = ceilings_Bps.empty() ? no_ceiling : ceilings_Bps[i];
        auto* own = zone->create_link("own" + std::to_string(i), std::min(ceiling_Bps, wide_Bps));
        own->set_latency(latency_seconds)->seal();
        std::vector<s4u::LinkInRoute> route{s4u::LinkInRoute(own)};
        for (ChannelShare const& share : scenario.routes[i]) {
            KEYSWAP_EXPECTS(share.weight == 1.0);
            route.emplace_back(links[share.channel]);
        }
        zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, route, false);
        ends.emplace_back(from, to);
    }
    zone->seal();

    SimGridEnds result;
    result.seconds.resize(scenario.routes.size());
    for (std::size_t i = 0; i < scenario.routes.size(); ++i) {
        s4u::Actor::create("sender" + std::to_string(i), ends[i].first, [&, i] {
            auto const size_bytes = static_cast<std::uint64_t>(scenario.sizes_bytes[i]);
            s4u::Comm::sendto(ends[i].first, ends[i].second, size_bytes);
            result.seconds[i] = s4u::Engine::get_clock() - latency_seconds;
        });
    }
    double const begin = process_seconds();
    engine.run();
    result.cpu_seconds = process_seconds() - begin;
    return result;
}

} // namespace keyswap::simulator
