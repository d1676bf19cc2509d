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

simulator::Storage scaled(simulator::Storage storage, double disks) {
    auto const scale = [disks](std::uint64_t& Bps) {
        Bps = static_cast<std::uint64_t>(static_cast<double>(Bps) * disks);
    };
    scale(storage.read_Bps);
    scale(storage.write_Bps);
    if (storage.total_Bps) {
        scale(*storage.total_Bps);
    }
    return storage;
}

void print_prediction(ExternalAnswer const& asked, std::ostream& out) {
    simulator::ExternalPrediction const& prediction = asked.prediction;
    out << "simulate: " << format_count(asked.plan.record_count) << ' '
        << to_string(asked.plan.layout) << " ("
        << size_text(static_cast<double>(asked.size_bytes())) << "), " << asked.keys << ", in "
        << size_text(static_cast<double>(asked.plan.memory.given_bytes)) << " of memory on "
        << printable_text(asked.platform.name) << ", " << counted(asked.cores, "core") << '\n'
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
                         limit_text(phase));
    }
    out << printed("\nTotal: %.4g s, ", simulator::to_seconds(prediction.total))
        << counted(asked.plan.ranges.size(), "range")
        << printed(" of keys; %.3g GB of keys a second.\n", asked.GB_per_s());
}

Json prediction_json(ExternalAnswer const& asked) {
    simulator::ExternalPrediction const& prediction = asked.prediction;
    Json json = json_result("simulate",
                            {{"external", true},
                             {"platform", asked.platform.name},
                             {"keys", asked.plan.record_count},
                             {"type", to_string(asked.plan.layout.key_type)},
                             {"memory", asked.plan.memory.given_bytes},
                             {"cores", asked.cores},
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

double ExternalAnswer::GB_per_s() const {
    return rate_GBps(size_bytes(), prediction.total);
}

simulator::ExternalPhase const& ExternalAnswer::longest_phase() const {
    return *std::ranges::max_element(
        prediction.phases, {}, [](auto const& phase) { return phase.duration; });
}

std::string limit_text(simulator::ExternalPhase const& phase) {
    return phase.limit + printed(" (%.0f %%)", 100.0 * phase.limited);
}

Expected<ExternalAnswer> predict(ExternalQuestion const& question) {
    KEYSWAP_TRY(auto const type, parse_sorted_type(question.key_type));
    KEYSWAP_TRY(auto const named,
                parse_distribution_and(question.distribution, question.parameter));
    KEYSWAP_TRY(auto platform, simulator::load_platform(question.platform));
    KEYSWAP_TRY(auto storage, simulator::load_storage(question.platform));
    KEYSWAP_TRY(auto generator,
                model::KeyGenerator::make(
                    {named.name, named.parameter, type, question.key_count, question.seed}));
    model::ClosedFormSource source(std::move(generator), Direction::ascending);
    KEYSWAP_TRY(auto plan,
                model::plan_external_sort(model::layout_of_keys(type, Direction::ascending),
                                          question.memory_bytes,
                                          source,
                                          model::external_sample_seed));
    storage = scaled(std::move(storage), question.disks);
    KEYSWAP_TRY(auto prediction,
                simulator::predict_external_sort(platform, storage, plan, question.cores));
    return ExternalAnswer{std::move(platform),
                          std::move(storage),
                          std::move(plan),
                          distribution_text(named.name, named.parameter) + ", seed " +
                              std::to_string(question.seed),
                          question.cores,
                          std::move(prediction)};
}

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
    ExternalQuestion question{options.platform,
                              options.key_count,
                              options.key_type,
                              options.distribution,
                              options.parameter,
                              options.seed,
                              *memory_bytes};
    if (options.cpu_threads) {
        question.cores = static_cast<std::uint32_t>(*options.cpu_threads);
    }
    KEYSWAP_TRY(auto const answer, predict(question));
    if (json) {
        print_json(prediction_json(answer), std::cout);
    } else {
        print_prediction(answer, std::cout);
    }
    return ExitCode::fine;
}

} // namespace keyswap::tools
