#include "simulator/prediction/simulated_rate.hpp"

#include "simulator/prediction/simulation.hpp"
#include "traces/records/key_type.hpp"

namespace keyswap::simulator {

namespace {

std::string_view machine_of(std::string_view device) {
    return device == "h200" ? "hgx-h200" : device == "h100" ? "dgx-h100" : "";
}

std::optional<double> sort_ms(PublishedRate const& rate) {
    auto const key_type = parse_key_type(rate.key_type);
    if (machine_of(rate.device).empty() || !key_type || !find_schedule(rate.method)) {
        return std::nullopt;
    }
    auto const machine = load_machine(machine_of(rate.device), std::nullopt);
    SimulationRequest request;
    request.algorithm = rate.method;
    request.distribution = rate.distribution;
    request.config.key_count = rate.key_count;
    request.config.key_type = *key_type;
    request.config.value_type = rate.value_bits == 32   ? ValueType::bits32
                                : rate.value_bits == 64 ? ValueType::bits64
                                                        : ValueType::none;
    request.gpus = {0};
    request.input = KeyPlace{KeyPlace::Kind::devices, 0};
    auto const simulation = machine ? simulate(*machine, request)
                                    : Expected<Simulation>(tl::unexpected(machine.error()));
    return simulation ? std::optional(to_milliseconds(simulation->timeline.makespan))
                      : std::nullopt;
}

} // namespace

std::optional<double> SimulatedRates::search_ms(RateProfile const& profile,
                                                PublishedRate const& rate) {
    auto const method = model::parse_path_method(rate.method);
    if (!method) {
        return std::nullopt;
    }
    // Sorting and multisplitting give the same frontier, hence the same rounds.
    bool const far_pile = *method == model::PathMethod::near_far;
    auto const name =
        rate.distribution + " " + std::to_string(rate.key_count) + (far_pile ? " with a pile" : "");
    auto found = searches_.find(name);
    if (found == searches_.end()) {
        found = searches_.emplace(name, stand_in_work(rate.distribution, rate.key_count, *method))
                    .first;
    }
    auto const time = found->second ? search_time(profile, *method, *found->second) : std::nullopt;
    return time ? std::optional(time->total_ms()) : std::nullopt;
}

std::optional<double> SimulatedRates::milliseconds(RateProfile const& profile,
                                                   PublishedRate const& rate) {
    return rate.operation == "sssp"   ? search_ms(profile, rate)
           : rate.operation == "sort" ? sort_ms(rate)
                                      : std::nullopt;
}

} // namespace keyswap::simulator
