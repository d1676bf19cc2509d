#include "tools/commands/simulate_external.hpp"

#include "model/external/external_records.hpp"
#include "model/keys/closed_form_source.hpp"
#include "simulator/study/external_sort.hpp"
#include "tools/options/distribution_option.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/request_text.hpp"
#include "tools/text/table.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

namespace keyswap::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr int threads_assumed = 64; ///< cores that a server of these platforms has at least

struct ExternalAsked {
    simulator::Platform platform;
    simulator::Storage storage;
    model::ExternalPlan plan;
    std::string keys; ///< "uniform, seed 1"
    std::uint32_t threads = 1;
};

double rate_GBps(std::uint64_t bytes, simulator::SimTime time) {
    return static_cast<double>(bytes) * 1e-9 / std::max(simulator::to_seconds(time), 1e-12);
}

std::string storage_text(simulator::Storage const& storage) {
    auto const rate = [](std::uint64_t Bps) {
        return printed("%.4g GB/s", static_cast<double>(Bps) * 1e-9);
    };
    std::string text = "reads " + rate(storage.read_Bps) + ", writes " + rate(storage.write_Bps);
    if (storage.total_Bps) {
        text += ", both together " + rate(*storage.total_Bps);
    }
    auto const origin = storage.origins.find("read");
    return text +
           (origin == storage.origins.end() ? "" : " (" + printable_text(origin->second) + ")");
}

void print_prediction(ExternalAsked const& asked,
                      simulator::ExternalPrediction const& prediction,
                      std::ostream& out) {
    std::uint64_t const bytes = asked.plan.record_count * asked.plan.layout.record_bytes;
    out << "simulate: " << format_count(asked.plan.record_count) << ' '
        << to_string(asked.plan.layout) << " (" << size_text(static_cast<double>(bytes)) << "), "
        << asked.keys << ", in " << size_text(static_cast<double>(asked.plan.memory.given_bytes))
        << " of memory on " << printable_text(asked.platform.name) << ", "
        << counted(asked.threads, "core") << '\n'
        << "Storage: " << storage_text(asked.storage) << ".\n"
        << "Cores: " << simulator::ExternalCost::origin << ".\n\n";
    Table const table({{"phase", -10},
                       {"seconds", 10},
                       {"read GB/s", 10},
                       {"written GB/s", 13},
                       {"limit", -2, 2}});
    out << table.header();
    for (simulator::ExternalPhase const& phase : prediction.phases) {
        out << table.row(phase.name,
                         printed("%.4g", simulator::to_seconds(phase.duration)),
                         printed("%.3g", rate_GBps(phase.read_bytes, phase.duration)),
                         printed("%.3g", rate_GBps(phase.written_bytes, phase.duration)),
                         phase.limit + printed(" (%.0f %%)", 100.0 * phase.limited));
    }
    out << printed("\nTotal: %.4g s, ", simulator::to_seconds(prediction.total))
        << counted(asked.plan.ranges.size(), "range")
        << printed(" of keys; %.3g GB of keys a second.\n", rate_GBps(bytes, prediction.total));
}

Json prediction_json(ExternalAsked const& asked, simulator::ExternalPrediction const& prediction) {
    Json json = json_result("simulate",
                            {{"external", true},
                             {"platform", asked.platform.name},
                             {"keys", asked.plan.record_count},
                             {"type", to_string(asked.plan.layout.key_type)},
                             {"memory", asked.plan.memory.given_bytes},
                             {"cores", asked.threads},
                             {"read_GBps", static_cast<double>(asked.storage.read_Bps) * 1e-9},
                             {"write_GBps", static_cast<double>(asked.storage.write_Bps) * 1e-9}});
    json["total_s"] = simulator::to_seconds(prediction.total);
    json["ranges"] = asked.plan.ranges.size();
    Json phases = Json::array();
    for (simulator::ExternalPhase const& phase : prediction.phases) {
        phases.push_back({{"phase", phase.name},
                          {"seconds", simulator::to_seconds(phase.duration)},
                          {"read_bytes", phase.read_bytes},
                          {"written_bytes", phase.written_bytes},
                          {"limit", phase.limit},
                          {"limited", phase.limited}});
    }
    json["phases"] = std::move(phases);
    return json;
}

} // namespace

Expected<ExitCode> simulate_external(SimulationOptions const& options,
                                     std::optional<std::uint64_t> memory_bytes,
                                     bool json) {
    if (!memory_bytes) {
        return tl::unexpected(
            InputError{"--external", "needs the memory", "give it, for instance --memory 64G"});
    }
    if (options.cpu_threads.value_or(1) < 1) {
        return tl::unexpected(
            InputError{"--cpu-threads", "is below 1, and a sort needs a core", "give 1 or more"});
    }
    KEYSWAP_TRY(auto const type, parse_sorted_type(options.key_type));
    KEYSWAP_TRY(auto const named, parse_distribution_and(options.distribution, options.parameter));
    KEYSWAP_TRY(auto platform, simulator::load_platform(options.platform));
    KEYSWAP_TRY(auto storage, simulator::load_storage(options.platform));
    KEYSWAP_TRY(auto generator,
                model::KeyGenerator::make(
                    {named.name, named.parameter, type, options.key_count, options.seed}));
    model::ClosedFormSource source(std::move(generator), Direction::ascending);
    KEYSWAP_TRY(auto plan,
                model::plan_external_sort(model::layout_of_keys(type, Direction::ascending),
                                          *memory_bytes,
                                          source,
                                          model::external_sample_seed));
    ExternalAsked const asked{
        std::move(platform),
        std::move(storage),
        std::move(plan),
        distribution_text(named.name, named.parameter) + ", seed " + std::to_string(options.seed),
        static_cast<std::uint32_t>(options.cpu_threads.value_or(threads_assumed))};
    KEYSWAP_TRY(
        auto const prediction,
        simulator::predict_external_sort(asked.platform, asked.storage, asked.plan, asked.threads));
    if (json) {
        print_json(prediction_json(asked, prediction), std::cout);
    } else {
        print_prediction(asked, prediction, std::cout);
    }
    return ExitCode::fine;
}

} // namespace keyswap::tools
