#include "simulator/calibration/certainty.hpp"

#include "traces/catalog/catalog.hpp"
#include "traces/catalog/parameters.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

namespace keyswap::simulator {

namespace {

/// Sum of the phases' durations; passes of partitioning count separately, without planning.
double spans_ms(Simulation const& simulation, std::initializer_list<Phase> phases) {
    double sum = 0.0;
    for (Phase const phase : phases) {
        bool const by_pass = phase == Phase::histogram || phase == Phase::scatter;
        for (int pass = by_pass ? 1 : 0; pass <= (by_pass ? simulation.schedule.passes : 0);
             ++pass) {
            TimeSpan const span = phase_span(simulation.timeline, phase, pass);
            sum += to_milliseconds(span.end - span.begin);
        }
    }
    return sum;
}

/// Number of the phase's kernels on the GPU with most of them.
double kernels_per_gpu(Simulation const& simulation, Phase phase) {
    std::map<std::uint32_t, std::size_t> counts;
    std::size_t most = 0;
    for (Task const& task : simulation.schedule.graph.tasks) {
        auto const* const kernel =
            task.phase == phase ? std::get_if<KernelWork>(&task.work) : nullptr;
        if (kernel != nullptr) {
            most = std::max(most, ++counts[kernel->gpu]);
        }
    }
    return static_cast<double>(most);
}

/// True if our program's version of a published RMG variant ran
/// (ScheduleBuilder::uses_fast_kernels).
bool is_our_copy(Machine const& machine, Simulation const& simulation) {
    auto const choice = parse_full_name(simulation.request.algorithm);
    return choice && choice->algorithm->name == "rmg" && choice->variant->name != "fast" &&
           machine.device.fast && simulation.request.own_program;
}

/// How often a constant in microseconds (launch or host work) adds to the duration of the run.
double times_called(std::string const& name, Machine const& machine, Simulation const& simulation) {
    SimulationRequest const& request = simulation.request;
    Schedule const& schedule = simulation.schedule;
    auto const has = [&name](char const* part) { return name.find(part) != std::string::npos; };
    auto const gpus = static_cast<double>(std::max<std::size_t>(request.gpus.size(), 1));
    auto const passes = static_cast<double>(schedule.passes);
    if (has("peer_copy")) {
        return static_cast<double>(schedule.copies) / gpus;
    }
    if (has("launch.sort")) {
        return static_cast<double>(schedule.sort_calls) / gpus;
    }
    if (has("launch.merge")) {
        return kernels_per_gpu(simulation, Phase::merge);
    }
    if (has("launch.host_copy")) {
        return 1.0;
    }
    if (name == "launch.call") {
        return 0.0; // hosts differ, which the error of the class of our copies includes
    }
    if (is_our_copy(machine, simulation) && name == "launch.histogram") {
        return passes + static_cast<double>(schedule.sort_calls) / gpus; // see library_sorts.hpp
    }
    if (request.algorithm == "rmg-fast" || passes == 0.0 || is_our_copy(machine, simulation)) {
        return 0.0; // other launches are of published kernels
    }
    if (has("plan.")) {
        return has("plan.base") ? 1.0 : has("plan.gpu") ? gpus : (passes - 1.0) * gpus;
    }
    if (has("launch.histogram") || has("launch.scatter")) {
        double const kernels =
            kernels_per_gpu(simulation, has("scatter") ? Phase::scatter : Phase::histogram);
        if (!has("_queue")) {
            return kernels;
        }
        return request.algorithm == "rmg-paper" ? std::max(0.0, kernels - passes) * gpus : 0.0;
    }
    return 1.0;
}

bool is_of_fast(MachineConstant const& constant) {
    return constant.name.starts_with("fast.");
}

/// Upper bound of the time that a constant of the device affects.
double device_share_ms(MachineConstant const& constant,
                       Machine const& machine,
                       Simulation const& simulation) {
    SimulationRequest const& request = simulation.request;
    std::string const& name = constant.name;
    auto const has = [&name](char const* part) { return name.find(part) != std::string::npos; };
    bool const is_fast = request.algorithm == "rmg-fast";
    auto const choice = parse_full_name(request.algorithm);
    bool const is_sample = choice && choice->algorithm->name == "sample-sort";
    auto const gpus = static_cast<double>(std::max<std::size_t>(request.gpus.size(), 1));
    double const kernels_ms = spans_ms(simulation,
                                       {Phase::histogram,
                                        Phase::scatter,
                                        Phase::bucket_sort,
                                        Phase::bucket_sort_and_copy_back,
                                        Phase::sort,
                                        Phase::merge});
    if (has("warm_up")) {
        return std::min(machine.device.warm_up_ms, to_milliseconds(simulation.timeline.makespan));
    }
    if (is_of_fast(constant)) {
        return is_fast || is_sample || is_our_copy(machine, simulation) ? kernels_ms : 0.0;
    }
    if (constant.unit == "us" || constant.unit == "us/GPU") {
        return constant.value * times_called(name, machine, simulation) * 1e-3;
    }
    if (is_fast || has(key_size_bytes(request.config.key_type) == 4 ? "key64" : "key32")) {
        return 0.0;
    }
    if (has("copy.local")) {
        double const bytes = static_cast<double>(request.config.key_count) / gpus *
                             static_cast<double>(key_size_bytes(request.config.key_type));
        return std::min(bytes / constant.value * 1e-6, spans_ms(simulation, {Phase::key_swap}));
    }
    Phase const phase = has("histogram") ? Phase::histogram
                        : has("scatter") ? Phase::scatter
                        : has("merge")   ? Phase::merge
                                         : Phase::bucket_sort;
    bool const is_of_pass = phase == Phase::histogram || phase == Phase::scatter;
    if (is_of_pass && is_our_copy(machine, simulation)) {
        return 0.0;
    }
    if (is_of_pass) {
        // Launches and host thread have constants of their own.
        bool const scatters = phase == Phase::scatter;
        std::string const launch = scatters ? "launch.scatter" : "launch.histogram";
        DeviceProfile const& device = machine.device;
        double const launches_us =
            times_called(launch, machine, simulation) *
                (scatters ? device.scatter_launch_us : device.histogram_launch_us) +
            times_called(launch + "_queue", machine, simulation) *
                (scatters ? device.scatter_queue_us : device.histogram_queue_us);
        return std::max(0.0, spans_ms(simulation, {phase}) - launches_us * 1e-3);
    }
    return spans_ms(simulation, {phase}) +
           (phase == Phase::bucket_sort ? spans_ms(simulation, {Phase::sort}) : 0.0);
}

/// Likewise for a constant of a link kind or of host memories: the longest busy time of a channel
/// that would saturate if the constant were at its low end.
double platform_share_ms(MachineConstant const& constant,
                         Machine const& machine,
                         Simulation const& simulation) {
    std::string const kind = constant.name.substr(0, constant.name.find('.'));
    double const least = constant.value > 0.0 ? constant.low() / constant.value : 1.0;
    std::set<std::string_view> links;
    for (Link const& link : machine.platform.links) {
        if (link.kind == kind) {
            links.insert(link.name);
        }
    }
    // The name of a link may itself contain a colon.
    auto const is_link = [&links](std::string_view name) {
        bool found = false;
        for (auto end = name.find(": "); end != std::string_view::npos && !found;
             end = name.find(": ", end + 1)) {
            found = links.contains(name.substr(0, end));
        }
        return found;
    };
    double most_ms = 0.0;
    for (ChannelUse const& use : simulation.timeline.channels) {
        bool const is_memory = kind == "cpu" && use.name.starts_with("memory of ");
        if (use.peak_Bps >= least * use.capacity_Bps && (is_memory || is_link(use.name))) {
            most_ms = std::max(most_ms, to_milliseconds(use.busy));
        }
    }
    return most_ms;
}

void sort_by_change(std::vector<AssumptionEffect>& effects) {
    std::ranges::stable_sort(effects, std::greater<>{}, [](AssumptionEffect const& effect) {
        return std::pair(effect.simulated, std::abs(effect.low_ms - effect.high_ms));
    });
}

/// Assumed constants with upper bounds of their effects, largest first.
std::vector<AssumptionEffect> estimated_effects(Machine const& machine,
                                                Simulation const& simulation,
                                                CertaintyOptions const& options) {
    double const total_ms = to_milliseconds(simulation.timeline.makespan);
    std::vector<AssumptionEffect> effects;
    auto const is_varied = [&](MachineConstant const& constant) {
        return constant.kind() == OriginKind::assumed && constant.value > 0.0 &&
               std::ranges::find(options.given, constant.name) == options.given.end();
    };
    auto const add = [&](MachineConstant const& constant, double share_ms, double direction) {
        if (!is_varied(constant)) {
            return;
        }
        // Time is proportional to a cost, and inversely proportional to a rate.
        share_ms = std::min(share_ms, total_ms);
        auto const changed = [&](double value) {
            return total_ms + share_ms * (std::pow(value / constant.value, direction) - 1.0);
        };
        AssumptionEffect const effect{
            constant, changed(constant.low()), changed(constant.high()), false};
        if (std::abs(effect.low_ms - effect.high_ms) >= options.change_min * total_ms) {
            effects.push_back(effect);
        }
    };
    auto const of_device = device_constants(machine);
    // Constants of `fast` share the time of its kernels. With equal parts, the squares of their
    // effects add up to at most the square of the whole.
    auto const of_fast =
        static_cast<double>(std::ranges::count_if(of_device, [&](MachineConstant const& constant) {
            return is_varied(constant) && is_of_fast(constant);
        }));
    for (MachineConstant const& constant : of_device) {
        bool const is_rate = constant.unit == "GB/s" || constant.unit == "bits";
        double const share_ms = device_share_ms(constant, machine, simulation) /
                                (is_of_fast(constant) ? std::sqrt(std::max(of_fast, 1.0)) : 1.0);
        add(constant, share_ms, is_rate ? -1.0 : 1.0);
    }
    for (MachineConstant const& constant : platform_constants(machine)) {
        add(constant, platform_share_ms(constant, machine, simulation), -1.0);
    }
    sort_by_change(effects);
    return effects;
}

Expected<double> total_with(Machine machine,
                            MachineConstant const& constant,
                            double value,
                            SimulationRequest request,
                            std::shared_ptr<KeyFacts> const& facts) {
    constant.set(machine, value);
    KEYSWAP_TRY(auto const simulation, simulate(machine, std::move(request), facts));
    return to_milliseconds(simulation.timeline.makespan);
}

/// The total with another sample.
Expected<double>
total_of_draw(Machine const& machine, SimulationRequest request, AlternativeSample const& draw) {
    auto const choice = parse_full_name(request.algorithm);
    set_value(request.config, *find_parameter(*choice->algorithm, "sample-seed"), draw.seed);
    request.sample = DrawnSample::of_seed;
    return simulate(machine, std::move(request)).map([](Simulation const& simulation) {
        return to_milliseconds(simulation.timeline.makespan);
    });
}

/// Number of constants to vary by simulation, for a graph of `tasks` tasks.
std::size_t simulated_count(std::size_t tasks, CertaintyOptions const& options) {
    constexpr std::size_t simulated_min = 4;
    if (tasks > options.tasks_max) {
        return 0;
    }
    std::size_t const affordable = options.tasks_in_all / (2 * std::max<std::size_t>(tasks, 1));
    return std::min(options.simulated_max, std::max(affordable, simulated_min));
}

/// A simulation to repeat with other constants; `facts` caches what does not change.
struct Repeated {
    Simulation const& simulation;
    std::shared_ptr<KeyFacts> facts = std::make_shared<KeyFacts>();
};

/// True if, with the constant at `value`, the slower sort is the faster one.
Expected<bool> order_turns(Machine const& machine,
                           MachineConstant const& constant,
                           double value,
                           Repeated const& faster,
                           Repeated const& slower) {
    auto const total_of = [&](Repeated const& sort) {
        return total_with(machine, constant, value, sort.simulation.request, sort.facts);
    };
    KEYSWAP_TRY(auto const first, total_of(faster));
    KEYSWAP_TRY(auto const second, total_of(slower));
    return second < first;
}

} // namespace

Expected<Certainty> certainty_of(Machine const& machine,
                                 Simulation const& simulation,
                                 CertaintyOptions const& options) {
    double const total_ms = to_milliseconds(simulation.timeline.makespan);
    Certainty certainty{0.0,
                        0.0,
                        model_error(machine, simulation),
                        estimated_effects(machine, simulation, options)};
    SimulationRequest request = simulation.request;
    request.engine.recording = ChannelRecording::totals;
    request.engine.rate_tolerance = std::max(request.engine.rate_tolerance, options.rate_tolerance);
    std::size_t const count = std::min(
        simulated_count(simulation.schedule.graph.tasks.size(), options), certainty.effects.size());
    if (count > 0) {
        // Both sides of each comparison use the same tolerance.
        auto const facts = std::make_shared<KeyFacts>();
        KEYSWAP_TRY(auto const same, simulate(machine, request, facts));
        double const same_ms = to_milliseconds(same.timeline.makespan);
        for (AssumptionEffect& effect : std::span(certainty.effects).first(count)) {
            MachineConstant const& constant = effect.constant;
            KEYSWAP_TRY(auto const low,
                        total_with(machine, constant, constant.low(), request, facts));
            KEYSWAP_TRY(auto const high,
                        total_with(machine, constant, constant.high(), request, facts));
            effect.low_ms = total_ms + low - same_ms;
            effect.high_ms = total_ms + high - same_ms;
            effect.simulated = true;
        }
    }
    std::erase_if(certainty.effects, [&](AssumptionEffect const& effect) {
        return std::abs(effect.low_ms - effect.high_ms) < options.change_min * total_ms;
    });
    sort_by_change(certainty.effects);
    double faster = std::pow(certainty.model.error * total_ms, 2);
    double slower = faster;
    for (AssumptionEffect const& effect : certainty.effects) {
        double const least = std::min({effect.low_ms, effect.high_ms, total_ms});
        double const most = std::max({effect.low_ms, effect.high_ms, total_ms});
        faster += (total_ms - least) * (total_ms - least);
        slower += (most - total_ms) * (most - total_ms);
    }
    for (UncertainScatter const& scatter : simulation.schedule.uncertain_scatters) {
        bool const is_there = scatter.chance >= 0.5;
        double const ms = to_milliseconds(scatter.duration);
        (is_there ? faster : slower) += ms * ms;
    }
    if (simulation.schedule.other_draw) {
        KEYSWAP_TRY(auto const other,
                    total_of_draw(machine, request, *simulation.schedule.other_draw));
        (other < total_ms ? faster : slower) += (other - total_ms) * (other - total_ms);
    }
    certainty.low_ms = std::max(0.0, total_ms - std::sqrt(faster));
    certainty.high_ms = total_ms + std::sqrt(slower);
    return certainty;
}

Expected<std::vector<TurningPoint>> turning_points(Machine const& machine,
                                                   Simulation const& faster,
                                                   Simulation const& slower,
                                                   CertaintyOptions const& options) {
    std::size_t const tasks =
        std::max(faster.schedule.graph.tasks.size(), slower.schedule.graph.tasks.size());
    if (tasks > options.tasks_max) {
        return std::vector<TurningPoint>{};
    }
    std::vector<AssumptionEffect> effects = estimated_effects(machine, faster, options);
    for (AssumptionEffect const& other : estimated_effects(machine, slower, options)) {
        if (std::ranges::none_of(effects, [&](AssumptionEffect const& effect) {
                return effect.constant.name == other.constant.name;
            })) {
            effects.push_back(other);
        }
    }
    sort_by_change(effects);
    effects.resize(std::min(effects.size(), simulated_count(tasks, options)));
    std::vector<TurningPoint> points;
    Repeated const fast{faster};
    Repeated const slow{slower};
    for (AssumptionEffect const& effect : effects) {
        MachineConstant const& constant = effect.constant;
        double const value = constant.value;
        for (double const inner : {constant.low(), constant.high()}) {
            double const outer = std::clamp(2.0 * inner - value, constant.min, constant.max);
            // Bisects between a value with the old order and one with the new order.
            double kept = value;
            double turned = inner;
            auto turns = order_turns(machine, constant, inner, fast, slow);
            if (turns && !*turns && outer != inner) {
                kept = inner;
                turned = outer;
                turns = order_turns(machine, constant, outer, fast, slow);
            }
            KEYSWAP_RETURN_IF_ERROR(turns);
            while (*turns && std::abs(turned - kept) > 0.01 * (constant.high() - constant.low())) {
                double const middle = 0.5 * (kept + turned);
                KEYSWAP_TRY(auto const half, order_turns(machine, constant, middle, fast, slow));
                (half ? turned : kept) = middle;
            }
            if (*turns) {
                bool const beyond = turned < constant.low() || turned > constant.high();
                points.push_back({constant, turned, inner > value, beyond});
            }
        }
    }
    return points;
}

} // namespace keyswap::simulator
