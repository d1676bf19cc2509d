#include "tools/report/report_request.hpp"

#include "model/distributions/closed_form_source.hpp"
#include "model/distributions/counter_generator.hpp"
#include "model/distributions/key_generator.hpp"
#include "model/distributions/streamed_source.hpp"
#include "model/sorts/rmg/record_plan.hpp"
#include "tools/options/distribution_option.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/report/report_files.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace keyswap::tools {

namespace {

/// Plans with more keys are counted in closed form, as by `keyswap plan`.
constexpr std::uint64_t streamed_keys_max = 20'000'000;
constexpr std::uint64_t key_count_default = 2'000'000'000;
constexpr std::uint32_t gpu_count_default = 8;

/// GPU numbers on the machine: as requested, else those of the trace (0, 1, ... for virtual GPUs),
/// else all. An error if the machine lacks a GPU of the trace.
Expected<std::vector<std::uint32_t>>
gpus_of(ReportOptions const& options, simulator::Machine const& machine, RunView const* run) {
    if (options.gpus || run == nullptr) {
        return parse_gpus(options.gpus.value_or("all"), machine);
    }
    auto const known = [&machine](int gpu) {
        return gpu >= 0 && static_cast<std::size_t>(gpu) < machine.platform.gpus.size();
    };
    std::vector<int> numbers = run->header.gpus;
    if (run->header.virtual_gpus) {
        std::iota(numbers.begin(), numbers.end(), 0);
    }
    if (!std::ranges::all_of(numbers, known)) {
        return input_error("--platform",
                           "'" + machine.platform.name + "' does not have the " +
                               std::to_string(numbers.size()) + " GPUs of the trace",
                           "choose a larger platform, or say which with --gpus");
    }
    return std::vector<std::uint32_t>(numbers.begin(), numbers.end());
}

Expected<simulator::SimulationRequest> base_request(ReportOptions const& options,
                                                    RunView const* run) {
    simulator::SimulationRequest request;
    request.config.key_count = options.key_count.value_or(key_count_default);
    KEYSWAP_RETURN_IF_ERROR(apply(options, request));
    request.engine.recording = simulator::ChannelRecording::samples;
    if (run == nullptr) {
        return request;
    }
    RunHeader const& header = run->header;
    if (header.input.distribution == "file" && !options.distribution) {
        return input_error("--platform",
                           "keys of the file that the trace names cannot be simulated",
                           "say with --distribution what they are like, or leave --platform out");
    }
    request.config.key_count = header.key_count;
    static_cast<SortShape&>(request.config) = static_cast<SortShape const&>(header);
    static_cast<SortParameters&>(request.config) = static_cast<SortParameters const&>(header);
    if (!options.distribution) {
        request.distribution = header.input.distribution;
        request.parameter = header.input.parameter;
        request.seed = header.input.seed;
    }
    return request;
}

/// Sets the algorithm of a schedule, with those given parameters that it accepts.
Expected<AlgorithmInfo const*> set_algorithm(simulator::SimulationRequest& request,
                                             std::string const& name,
                                             ReportOptions const& options) {
    KEYSWAP_TRY(auto const choice, parse_full_name(name));
    request.algorithm = name;
    if (!options.parameters.empty()) {
        KEYSWAP_TRY(auto const parameters, parameters_of(*choice.algorithm, options.parameters));
        static_cast<SortParameters&>(request.config) = parameters;
    }
    return choice.algorithm;
}

Expected<RunView> planned_view(simulator::SimulationRequest const& request,
                               std::string const& algorithm) {
    KEYSWAP_TRY(auto const config, model::validated(request.config));
    KEYSWAP_TRY(auto const found, model::find_algorithm(algorithm));
    KEYSWAP_TRY(auto generator,
                model::KeyGenerator::make({request.distribution,
                                           request.parameter,
                                           request.config.key_type,
                                           request.config.key_count,
                                           request.seed}));
    auto const keys = generator.request();
    std::unique_ptr<model::KeySource> source;
    if (config.key_count <= streamed_keys_max) {
        source = std::make_unique<model::StreamedSource>(std::move(generator), config.direction);
    } else {
        source = std::make_unique<model::ClosedFormSource>(std::move(generator), config.direction);
    }
    KEYSWAP_TRY(auto const plan, found->plan(config, *source));
    RunHeader header = model::header_of(config, algorithm);
    header.virtual_gpus = request.gpus.empty();
    if (!request.gpus.empty()) {
        header.gpus.assign(request.gpus.begin(), request.gpus.end());
    }
    header.input.distribution = keys.distribution;
    header.input.parameter = keys.parameter;
    header.input.seed = keys.seed;
    header.input.generator_version = model::generator_version;
    return run_view_of(*plan, std::move(header));
}

/// If there are several plans, adds the algorithm to their titles.
void name_plans(std::vector<RunView>& runs) {
    if (std::ranges::count_if(runs, std::not_fn(&RunView::recorded)) < 2) {
        return;
    }
    for (RunView& run : runs) {
        if (!run.recorded) {
            run.title += " of " + run.header.algorithm;
        }
    }
}

/// Simulates every algorithm; shows each plan once, unless a trace shows it already.
/// \param named true: the user chose the algorithms
Expected<void> add_simulations(ReportOptions const& options,
                               bool named,
                               RunView const* run,
                               ReportContent& content) {
    KEYSWAP_TRY(auto request, base_request(options, run));
    KEYSWAP_TRY(auto const gpus, gpus_of(options, *content.machine, run));
    request.gpus = gpus;
    request.config.gpu_count = static_cast<std::uint32_t>(gpus.size());
    std::vector<std::string> planned;
    for (std::string const& name : options.algorithms) {
        KEYSWAP_TRY(auto const algorithm, set_algorithm(request, name, options));
        KEYSWAP_TRY(auto simulation, simulate_or_advise(*content.machine, request, named));
        std::string const plan(algorithm->name);
        bool const shown = run != nullptr || std::ranges::find(planned, plan) != planned.end();
        if (!shown && model::find_algorithm(plan)) {
            KEYSWAP_TRY(auto view, planned_view(simulation.request, plan));
            content.runs.push_back(std::move(view));
            planned.push_back(plan);
        }
        KEYSWAP_TRY(auto certainty, simulator::certainty_of(*content.machine, simulation));
        content.simulations.push_back(std::move(simulation));
        content.certainties.push_back(std::move(certainty));
    }
    return {};
}

Expected<void> add_plans(ReportOptions const& options, ReportContent& content) {
    KEYSWAP_TRY(auto request, base_request(options, nullptr));
    request.config.gpu_count = options.gpu_count.value_or(gpu_count_default);
    for (std::string const& name : options.algorithms) {
        KEYSWAP_TRY(auto const algorithm, set_algorithm(request, name, options));
        if (!model::find_algorithm(algorithm->name)) {
            return input_error("--algorithm",
                               "'" + name + "' has no plan that could be shown",
                               "add --platform to simulate it");
        }
        KEYSWAP_TRY(auto view, planned_view(request, std::string(algorithm->name)));
        content.runs.push_back(std::move(view));
    }
    return {};
}

Expected<void> check_conflicts(ReportOptions const& options) {
    if (!options.platform && options.gpus) {
        return input_error("--gpus",
                           "names GPUs of a platform, and none is given",
                           "add --platform, or say how many with --gpu-count");
    }
    if (options.platform && options.gpu_count) {
        return input_error("--platform and --gpu-count",
                           "both specify the GPUs",
                           "choose some of the platform's with --gpus 0,1");
    }
    if (options.is_empty_request()) {
        return input_error("report",
                           "nothing to show",
                           "give a trace, a CSV of measurements, a sweep, or --distribution and "
                           "--keys, with --platform to simulate");
    }
    if (!options.platform && options.profile) {
        return input_error(
            "--profile", "applies to a platform, but none is given", "add --platform");
    }
    // Validates names even if nothing is simulated.
    for (std::string const& name : options.algorithms) {
        KEYSWAP_RETURN_IF_ERROR(parse_full_name(name));
    }
    for (auto const& parameter : options.parameters) {
        if (std::ranges::none_of(options.algorithms, [&parameter](std::string const& algorithm) {
                return find_parameter(*parse_full_name(algorithm)->algorithm, parameter.first) !=
                       nullptr;
            })) {
            return input_error("--" + parameter.first,
                               "is a parameter of none of the algorithms",
                               "leave it out, or name one that has it: keyswap algorithms");
        }
    }
    return {};
}

} // namespace

Expected<ReportContent> report_content(ReportOptions const& given) {
    ReportOptions options = given;
    if (given.algorithms.empty()) {
        options.algorithms = {default_schedule(given)};
    }
    bool const named = !given.algorithms.empty();
    KEYSWAP_RETURN_IF_ERROR(check_conflicts(options));
    ReportContent content;
    if (options.platform) {
        KEYSWAP_TRY(content.machine, simulator::load_machine(*options.platform, options.profile));
    }
    for (std::string const& file : options.files) {
        KEYSWAP_RETURN_IF_ERROR(read_report_file(options, file, content));
    }
    bool const keys_asked = options.key_count || options.distribution;
    if (content.machine && !content.runs.empty()) {
        RunView const run = content.runs.front();
        KEYSWAP_RETURN_IF_ERROR(add_simulations(options, named, &run, content));
    } else if (content.machine && (keys_asked || options.files.empty())) {
        KEYSWAP_RETURN_IF_ERROR(add_simulations(options, named, nullptr, content));
    } else if (keys_asked && content.runs.empty()) {
        KEYSWAP_RETURN_IF_ERROR(add_plans(options, content));
    }
    name_plans(content.runs);
    return content;
}

} // namespace keyswap::tools
