#include "tools/commands/simulate/simulate_operation.hpp"

#include "tools/output/json_result.hpp"
#include "tools/text/document.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/simulation_fields.hpp"
#include "traces/errors/printable_text.hpp"

#include <algorithm>
#include <iostream>

namespace keyswap::tools {

namespace {

simulator::ChannelUse const* fullest(simulator::CollectivePrediction const& prediction) {
    auto const& channels = prediction.timeline.channels;
    auto const most = std::ranges::max_element(
        channels, {}, [](simulator::ChannelUse const& use) { return use.saturated; });
    return most == channels.end() || 10 * most->saturated.ps < prediction.timeline.makespan.ps
               ? nullptr
               : &*most;
}

char const* way_sentence(simulator::CollectivePrediction const& prediction) {
    return prediction.way == simulator::CollectiveWay::rings
               ? "In rings from GPU to GPU, the faster way."
               : "All pairs of GPUs at once, over all links between them.";
}

} // namespace

std::string limit_of(simulator::CollectivePrediction const& prediction) {
    auto const* const most = fullest(prediction);
    return most == nullptr ? "" : most->name;
}

void print_operation(simulator::Machine const& machine,
                     simulator::CollectivePrediction const& prediction) {
    simulator::Collective const& asked = prediction.collective;
    auto& out = std::cout;
    out << formatted("# %s of %s among %s of %s (%s)\n",
                     to_string(asked.kind).c_str(),
                     counted(asked.size_bytes, "byte").c_str(),
                     counted(asked.gpus.size(), "GPU").c_str(),
                     printable_text(machine.platform.name).c_str(),
                     hash_text(platform_hash(machine.platform)).c_str());
    out << formatted("Total: %.4g ms; %.4g GB/s, bus bandwidth %.4g GB/s.\n",
                     prediction.total_ms,
                     prediction.algorithm_GBps(),
                     prediction.bus_GBps());
    out << formatted("Expect %.4g to %.4g ms: the model is assumed to be off by up to %.3g %%.\n",
                     prediction.low_ms,
                     prediction.high_ms,
                     100.0 * prediction.model_error);
    out << way_sentence(prediction) << ' ';
    if (auto const* const most = fullest(prediction)) {
        out << formatted("The bottleneck is %s, at its %.1f GB/s for %.0f %% of the time.\n",
                         printable_text(most->name).c_str(),
                         most->capacity_Bps * 1e-9,
                         100.0 * simulator::to_seconds(most->saturated) /
                             simulator::to_seconds(prediction.timeline.makespan));
    } else {
        out << "No link limits it: launches do.\n";
    }
}

Json operation_json(simulator::Machine const& machine,
                    simulator::CollectivePrediction const& prediction,
                    Json const& given) {
    simulator::Collective const& asked = prediction.collective;
    Json request{{"operation", to_string(asked.kind)},
                 {"platform", machine.platform.name},
                 {"platform_hash", hash_text(platform_hash(machine.platform))},
                 {"bytes", asked.size_bytes},
                 {"gpus", asked.gpus}};
    request.update(given);
    Json json = json_result("simulate", request);
    std::vector<simulator::ChannelUse> used = prediction.timeline.channels;
    std::erase_if(used, [](simulator::ChannelUse const& use) { return use.size_bytes <= 0.0; });
    json.update(
        Json{{"total_ms", prediction.total_ms},
             {"algorithm_GBps", prediction.algorithm_GBps()},
             {"bus_GBps", prediction.bus_GBps()},
             {"interval_ms", {prediction.low_ms, prediction.high_ms}},
             {"model_error", prediction.model_error},
             {"way", prediction.way == simulator::CollectiveWay::rings ? "rings" : "direct"},
             {"bottleneck", limit_of(prediction)},
             {"links", document(used)}});
    return json;
}

} // namespace keyswap::tools
