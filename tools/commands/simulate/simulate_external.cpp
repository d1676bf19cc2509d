#include "tools/commands/simulate/simulate_external.hpp"

#include "model/distributions/closed_form_source.hpp"
#include "model/external/external_records.hpp"
#include "simulator/prediction/external_sort.hpp"
#include "tools/commands/simulate/simulate_options.hpp"
#include "tools/options/distribution_option.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/request_text.hpp"
#include "tools/text/table.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

namespace keyswap::tools {

namespace {

constexpr char const* range_schedule = "rmg-fast"; ///< same as `keyswap sort --backend cuda`
constexpr int cores_default = 64;                  ///< lower bound for servers with these platforms

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

std::string interval_text(std::optional<simulator::ExternalInterval> const& interval) {
    if (!interval) {
        return "Interval: unknown: the storage is not measured (calibrate --probe-storage).\n";
    }
    return printed("Interval: %.4g to ", simulator::to_seconds(interval->least)) +
           printed("%.4g s: ", simulator::to_seconds(interval->most)) +
           "rates of the storage vary, and cores may be shared.\n";
}

void print_prediction(ExternalAnswer const& asked, std::ostream& out) {
    simulator::ExternalPrediction const& prediction = asked.prediction;
    out << "simulate: " << grouped_count(asked.plan.record_count) << ' '
        << to_string(asked.plan.layout) << " ("
        << size_text(static_cast<double>(asked.size_bytes())) << "), " << asked.keys << ", in "
        << size_text(static_cast<double>(asked.plan.memory.given_bytes)) << " of memory on "
        << printable_text(asked.platform.name) << ", " << counted(asked.cores, "core")
        << (asked.gpus ? ", " + counted(asked.gpus->count, "GPU") : "") << '\n'
        << "Storage: " << storage_text(asked.storage) << ".\n"
        << "Cores: " << simulator::ExternalCost::origin << ".\n";
    if (asked.gpus) {
        out << "GPUs: " << range_schedule << " of ranges of at most "
            << grouped_count(asked.plan.memory.records_max) << " keys, "
            << printed("%.3g ns a key, as simulated.\n", asked.gpus->record_ns);
    }
    out << '\n';
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
        << printed(" of keys; %.3g GB of keys per second.\n", asked.GB_per_s())
        << interval_text(asked.interval);
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
    if (!asked.plan.layout.is_plain_key()) {
        json["records"] = to_string(asked.plan.layout);
    }
    if (asked.gpus) {
        json["gpus"] = asked.gpus->count;
        json["keys_at_once"] = asked.plan.memory.records_max;
        json["gpu_ns_per_key"] = asked.gpus->record_ns;
    }
    json["total_s"] = simulator::to_seconds(prediction.total);
    json["interval_s"] = asked.interval ? Json{simulator::to_seconds(asked.interval->least),
                                               simulator::to_seconds(asked.interval->most)}
                                        : Json();
    json["ranges"] = asked.plan.ranges.size();
    Json phases = Json::array();
    for (simulator::ExternalPhase const& phase : prediction.phases) {
        phases.push_back({{"phase", phase.name},
                          {"seconds", simulator::to_seconds(phase.duration)},
                          {"read_bytes", phase.read_bytes},
                          {"written_bytes", phase.written_bytes},
                          {"requests", phase.requests},
                          {"saving_s", simulator::to_seconds(phase.saving)},
                          {"limit", phase.limit},
                          {"limited", phase.limited}});
    }
    json["phases"] = std::move(phases);
    return json;
}

/// GPUs of a machine that sort ranges.
class RangeSimulation {
  public:
    /// \param type key type
    static Expected<RangeSimulation>
    of(std::string const& platform, std::string const& gpus, KeyType type) {
        KEYSWAP_TRY(auto machine, simulator::load_machine(platform, std::nullopt));
        simulator::SimulationRequest request;
        request.algorithm = range_schedule;
        request.layout = simulator::KeyLayout::near_gpus;
        request.config.key_type = type;
        KEYSWAP_TRY(request.gpus, parse_gpus(gpus, machine));
        return RangeSimulation(std::move(machine), std::move(request));
    }

    /// Maximum keys per range on the GPUs. \param gpu_memory bytes per GPU; nullopt: all of it
    [[nodiscard]] Expected<std::uint64_t> keys_max(std::optional<std::uint64_t> gpu_memory) {
        constexpr std::uint64_t few = 1'000'000; // keys; the memory per key is constant
        KEYSWAP_TRY(auto const simulation, run(few));
        double const most = static_cast<double>(simulation.memory.keys_most);
        double const room = static_cast<double>(simulation.memory.uses.front().free_bytes);
        double const part = gpu_memory ? static_cast<double>(*gpu_memory) / room : 1.0;
        return static_cast<std::uint64_t>(most * std::min(part, 1.0));
    }
    [[nodiscard]] Expected<simulator::RangeGpus> sort(std::uint64_t key_count) {
        KEYSWAP_TRY(auto const simulation, run(key_count));
        return simulator::RangeGpus{static_cast<std::uint32_t>(request_.gpus.size()),
                                    simulator::to_seconds(simulation.timeline.makespan) * 1e9 /
                                        static_cast<double>(key_count)};
    }

  private:
    RangeSimulation(simulator::Machine machine, simulator::SimulationRequest request)
        : machine_(std::move(machine)), request_(std::move(request)) {}
    Expected<simulator::Simulation> run(std::uint64_t key_count) {
        request_.config.key_count = key_count;
        return simulator::simulate(machine_, request_);
    }

    simulator::Machine machine_;
    simulator::SimulationRequest request_;
};

} // namespace

double ExternalAnswer::GB_per_s() const {
    return rate_GBps(size_bytes(), prediction.total);
}

simulator::ExternalPhase const& ExternalAnswer::longest_phase() const {
    return *std::ranges::max_element(
        prediction.phases, {}, [](auto const& phase) { return phase.duration; });
}

std::string limit_text(simulator::ExternalPhase const& phase) {
    return phase.limit.empty() ? "none"
                               : phase.limit + printed(" (%.0f %%)", 100.0 * phase.limited);
}

/// The layout of the records to sort; nullopt for a file of keys.
Expected<std::optional<model::RecordLayout>> layout_of(RecordArguments const& records) {
    if (!records.bytes) {
        return std::nullopt;
    }
    constexpr std::uint32_t key_bytes_min = 4; // those of the keys that are drawn
    KEYSWAP_TRY(auto const layout, parse_layout(records, std::nullopt, Direction::ascending));
    if (layout.key_bytes < key_bytes_min) {
        return input_error(
            "--key", "is predicted for 4 bytes or more", "give a longer key, as 0:10");
    }
    return layout;
}

Expected<ExternalAnswer> predict_external(SimulateOptions const& question) {
    auto const cores = static_cast<std::uint32_t>(question.cpu_threads.value_or(cores_default));
    KEYSWAP_TRY(auto const records, layout_of(question.records));
    // The keys whose distribution the records' keys have.
    std::string const key_type = !records                 ? question.key_type
                                 : records->key_bytes < 8 ? "u32"
                                                          : "u64";
    KEYSWAP_TRY(auto const type, parse_sorted_type(key_type));
    KEYSWAP_TRY(
        auto const named,
        parse_distribution_and(question.distribution.value_or("uniform"), question.parameter));
    KEYSWAP_TRY(auto platform, simulator::load_platform(question.platform));
    KEYSWAP_TRY(auto storage, simulator::load_storage(question.platform));
    KEYSWAP_TRY(auto generator,
                model::KeyGenerator::make(
                    {named.name, named.parameter, type, question.key_count, question.seed}));
    model::ClosedFormSource source(std::move(generator), Direction::ascending);
    auto const layout = records.value_or(model::layout_of_keys(type, Direction::ascending));
    std::optional<RangeSimulation> on_gpus;
    std::optional<std::uint64_t> gpu_keys_max;
    if (question.gpus) {
        KEYSWAP_TRY(on_gpus, RangeSimulation::of(question.platform, *question.gpus, type));
        KEYSWAP_TRY(gpu_keys_max, on_gpus->keys_max(question.gpu_memory));
    }
    KEYSWAP_TRY(auto const memory, model::divide_memory(layout, *question.memory, gpu_keys_max));
    KEYSWAP_TRY(auto plan,
                model::plan_external_sort(model::layout_of_keys(type, Direction::ascending),
                                          memory,
                                          source,
                                          model::external_sample_seed));
    plan.layout = layout;
    storage = simulator::with_scaled_rates(std::move(storage), question.disks);
    std::optional<simulator::RangeGpus> gpus;
    if (on_gpus) {
        KEYSWAP_TRY(gpus,
                    on_gpus->sort(
                        std::clamp<std::uint64_t>(plan.record_count, 1, plan.memory.records_max)));
    }
    KEYSWAP_TRY(auto prediction,
                simulator::predict_external_sort(platform, storage, plan, cores, gpus));
    KEYSWAP_TRY(auto const interval,
                simulator::external_interval(platform, storage, plan, cores, gpus));
    return ExternalAnswer{std::move(platform),
                          std::move(storage),
                          std::move(plan),
                          distribution_text(named.name, named.parameter) + ", seed " +
                              std::to_string(question.seed),
                          cores,
                          gpus,
                          std::move(prediction),
                          interval};
}

Expected<ExitCode> simulate_external(SimulateOptions const& options) {
    KEYSWAP_RETURN_IF_ERROR(check_record_options(options.records));
    if (options.records.bytes && options.gpus) {
        return input_error("--record-bytes and --gpus",
                           "records are predicted on cores only",
                           "leave one of them out");
    }
    if (options.gpu_memory && !options.gpus) {
        return input_error(
            "--gpu-memory", "limits GPUs, but cores sort", "give --gpus, or leave it out");
    }
    if (!options.memory) {
        return input_error("--external", "needs --memory", "give it, for instance --memory 64G");
    }
    KEYSWAP_TRY(auto const answer, predict_external(options));
    if (options.json) {
        print_json(prediction_json(answer), std::cout);
    } else {
        print_prediction(answer, std::cout);
    }
    return ExitCode::fine;
}

} // namespace keyswap::tools
