#include "tools/report/report_request.hpp"

#include "model/keys/closed_form_source.hpp"
#include "model/keys/counter_generator.hpp"
#include "model/keys/key_generator.hpp"
#include "model/keys/streamed_source.hpp"
#include "model/sorts/rmg/record_plan.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/report/report_files.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace keyswap::tools {

namespace {

/// Above this, keys of a plan are counted in closed form, as `keyswap plan` does.
constexpr std::uint64_t streamed_keys_max = 20'000'000;
constexpr std::uint64_t key_count_default = 2'000'000'000;
constexpr std::uint32_t gpu_count_default = 8;

/// Numbers on the machine: as asked, else those of the trace where the machine has them, else all
/// or as many as the trace had.
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
        return tl::unexpected(InputError{"--platform",
                                         "'" + machine.platform.name + "' does not have the " +
                                             std::to_string(numbers.size()) + " GPUs of the trace",
                                         "choose a larger platform, or say which with --gpus"});
    }
    return std::vector<std::uint32_t>(numbers.begin(), numbers.end());
}

Expected<simulator::SimulationRequest> base_request(ReportOptions const& options,
                                                    RunView const* run) {
    simulator::SimulationRequest request;
    auto const type = parse_sorted_type(options.key_type);
    if (!type) {
        return tl::unexpected(type.error());
    }
    request.config.key_count = options.key_count.value_or(key_count_default);
    request.config.key_type = *type;
    if (auto error = apply(options.load, request)) {
        return tl::unexpected(std::move(*error));
    }
    request.distribution = options.distribution.value_or("uniform");
    request.parameter = options.parameter;
    request.seed = options.seed;
    request.engine.rate_tolerance = options.rate_tolerance;
    request.engine.recording = simulator::ChannelRecording::samples;
    if (run == nullptr) {
        return request;
    }
    RunHeader const& header = run->header;
    if (header.input.distribution == "file" && !options.distribution) {
        return tl::unexpected(
            InputError{"--platform",
                       "keys of the file that the trace names cannot be simulated",
                       "say with --distribution what they are like, or leave --platform out"});
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

/// Names a schedule's algorithm, and tells it the parameters that it has.
Expected<AlgorithmInfo const*> set_algorithm(simulator::SimulationRequest& request,
                                             std::string const& name,
                                             ReportOptions const& options) {
    auto const choice = parse_full_name(name);
    if (!choice) {
        return tl::unexpected(choice.error());
    }
    request.algorithm = name;
    if (!options.parameters.empty()) {
        auto const parameters = parameters_of(*choice->algorithm, options.parameters);
        if (!parameters) {
            return tl::unexpected(parameters.error());
        }
        static_cast<SortParameters&>(request.config) = *parameters;
    }
    return choice->algorithm;
}

Expected<RunView> planned_view(simulator::SimulationRequest const& request,
                               std::string const& algorithm) {
    auto const config = model::validated(request.config);
    auto const found = model::find_algorithm(algorithm);
    if (!config || !found) {
        return tl::unexpected(!config ? config.error() : found.error());
    }
    auto generator = model::KeyGenerator::make({request.distribution,
                                                request.parameter,
                                                request.config.key_type,
                                                request.config.key_count,
                                                request.seed});
    if (!generator) {
        return tl::unexpected(generator.error());
    }
    auto const keys = generator->request();
    std::unique_ptr<model::KeySource> source;
    if (config->key_count <= streamed_keys_max) {
        source = std::make_unique<model::StreamedSource>(std::move(*generator), config->direction);
    } else {
        source =
            std::make_unique<model::ClosedFormSource>(std::move(*generator), config->direction);
    }
    auto const plan = (*found)->plan(*config, *source);
    if (!plan) {
        return tl::unexpected(plan.error());
    }
    RunHeader header = model::header_of(*config, algorithm);
    header.virtual_gpus = request.gpus.empty();
    if (!request.gpus.empty()) {
        header.gpus.assign(request.gpus.begin(), request.gpus.end());
    }
    header.input.distribution = keys.distribution;
    header.input.parameter = keys.parameter;
    header.input.seed = keys.seed;
    header.input.generator_version = model::generator_version;
    return run_view_of(**plan, std::move(header));
}

/// Of several plans each one's title says whose it is.
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

/// Simulates every algorithm; each one's plan is shown once, unless a trace has shown it.
/// \param named whether the user chose the algorithms
std::optional<InputError> add_simulations(ReportOptions const& options,
                                          bool named,
                                          RunView const* run,
                                          ReportContent& content) {
    auto request = base_request(options, run);
    if (!request) {
        return request.error();
    }
    auto const gpus = gpus_of(options, *content.machine, run);
    if (!gpus) {
        return gpus.error();
    }
    request->gpus = *gpus;
    request->config.gpu_count = static_cast<std::uint32_t>(gpus->size());
    std::vector<std::string> planned;
    for (std::string const& name : options.algorithms) {
        auto const algorithm = set_algorithm(*request, name, options);
        if (!algorithm) {
            return algorithm.error();
        }
        auto simulation = simulate_or_advise(*content.machine, *request, named);
        if (!simulation) {
            return simulation.error();
        }
        std::string const plan((*algorithm)->name);
        bool const shown = run != nullptr || std::ranges::find(planned, plan) != planned.end();
        if (!shown && model::find_algorithm(plan)) {
            auto view = planned_view(simulation->request, plan);
            if (!view) {
                return view.error();
            }
            content.runs.push_back(std::move(*view));
            planned.push_back(plan);
        }
        auto certainty = simulator::certainty_of(*content.machine, *simulation);
        if (!certainty) {
            return certainty.error();
        }
        content.simulations.push_back(std::move(*simulation));
        content.certainties.push_back(std::move(*certainty));
    }
    return std::nullopt;
}

std::optional<InputError> add_plans(ReportOptions const& options, ReportContent& content) {
    auto request = base_request(options, nullptr);
    if (!request) {
        return request.error();
    }
    request->config.gpu_count = options.gpu_count.value_or(gpu_count_default);
    for (std::string const& name : options.algorithms) {
        auto const algorithm = set_algorithm(*request, name, options);
        if (!algorithm) {
            return algorithm.error();
        }
        if (!model::find_algorithm((*algorithm)->name)) {
            return InputError{"--algorithm",
                              "'" + name + "' has no plan that could be shown",
                              "add --platform to simulate it"};
        }
        auto view = planned_view(*request, std::string((*algorithm)->name));
        if (!view) {
            return view.error();
        }
        content.runs.push_back(std::move(*view));
    }
    return std::nullopt;
}

std::optional<InputError> contradiction(ReportOptions const& options) {
    bool const keys_asked = options.key_count || options.distribution;
    if (!options.platform && options.gpus) {
        return InputError{"--gpus",
                          "names GPUs of a platform, and none is given",
                          "add --platform, or say how many with --gpu-count"};
    }
    if (options.platform && options.gpu_count) {
        return InputError{"--platform and --gpu-count",
                          "both say which GPUs there are",
                          "choose some of the platform's with --gpus 0,1"};
    }
    if (options.files.empty() && !keys_asked && !options.platform) {
        return InputError{"report",
                          "there is nothing to show",
                          "give a trace, a CSV of measurements, a sweep, or --distribution and "
                          "--keys, with --platform to simulate"};
    }
    if (!options.platform && options.profile) {
        return InputError{"--profile", "is of a platform, and none is given", "add --platform"};
    }
    // Wrong also where nothing is simulated that they could name.
    for (std::string const& name : options.algorithms) {
        if (auto const choice = parse_full_name(name); !choice) {
            return choice.error();
        }
    }
    for (auto const& parameter : options.parameters) {
        if (std::ranges::none_of(options.algorithms, [&parameter](std::string const& algorithm) {
                return find_parameter(*parse_full_name(algorithm)->algorithm, parameter.first) !=
                       nullptr;
            })) {
            return InputError{"--" + parameter.first,
                              "is a parameter of none of the algorithms",
                              "leave it out, or name one that has it: keyswap algorithms"};
        }
    }
    return std::nullopt;
}

} // namespace

Expected<ReportContent> report_content(ReportOptions const& given) {
    ReportOptions options = given;
    if (given.algorithms.empty()) {
        options.algorithms = {default_schedule(given.load)};
    }
    bool const named = !given.algorithms.empty();
    if (auto error = contradiction(options)) {
        return tl::unexpected(std::move(*error));
    }
    ReportContent content;
    if (options.platform) {
        auto machine = simulator::load_machine(*options.platform, options.profile);
        if (!machine) {
            return tl::unexpected(machine.error());
        }
        content.machine = std::move(*machine);
    }
    for (std::string const& file : options.files) {
        if (auto error = read_report_file(options, file, content)) {
            return tl::unexpected(std::move(*error));
        }
    }
    bool const keys_asked = options.key_count || options.distribution;
    std::optional<InputError> error;
    if (content.machine && !content.runs.empty()) {
        RunView const run = content.runs.front();
        error = add_simulations(options, named, &run, content);
    } else if (content.machine && (keys_asked || options.files.empty())) {
        error = add_simulations(options, named, nullptr, content);
    } else if (keys_asked && content.runs.empty()) {
        error = add_plans(options, content);
    }
    if (error) {
        return tl::unexpected(std::move(*error));
    }
    name_plans(content.runs);
    return content;
}

} // namespace keyswap::tools
