#include "model/distributions/closed_form_source.hpp"
#include "model/distributions/streamed_source.hpp"
#include "model/external/external_records.hpp"
#include "model/key_files/stored_source.hpp"
#include "model/sorts/rmg/record_plan.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tools/backends/available_memory.hpp"
#include "tools/backends/key_memory.hpp"
#include "tools/commands/command.hpp"
#include "tools/commands/sort/plan_document.hpp"
#include "tools/commands/sort/plan_external.hpp"
#include "tools/options/exclude_options.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/sort_request.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/output/json_result.hpp"
#include "tools/report/bars.hpp"
#include "tools/text/json.hpp"
#include "tools/text/memory_text.hpp"
#include "tools/text/plan_account.hpp"
#include "tools/text/progress.hpp"
#include "tools/text/simulation_fields.hpp"
#include "traces/errors/try.hpp"
#include "traces/records/enum_names.hpp"

#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace keyswap::tools {

namespace {

enum class SourceKind { automatic, materialized, streamed, closed_form };

/// Beyond this, "auto" selects the closed form: counting would take more than a few seconds.
constexpr std::uint64_t streamed_keys_max = 200'000'000;

struct PlanOptions {
    SortArguments sort;
    std::string source = "auto";
    bool external = false;
    std::optional<std::uint64_t> memory; ///< external sort only
    AccountDetail detail;
    bool json = false;
};

/// Returns an error if options of an external sort are missing or contradictory.
Expected<void> check_external(PlanOptions const& options) {
    if (!options.external) {
        return options.memory ? input_error("--memory",
                                            "applies to an external sort only",
                                            "give --external too")
                              : Expected<void>{};
    }
    if (!options.memory) {
        return input_error("--external", "needs --memory", "give it, for instance --memory 64G");
    }
    return {};
}

constexpr std::array<EnumName<SourceKind>, 4> source_names{
    {{"auto", SourceKind::automatic},
     {"materialized", SourceKind::materialized},
     {"streamed", SourceKind::streamed},
     {"closed-form", SourceKind::closed_form}}};

Expected<SourceKind> parse_source(std::string const& text) {
    return parse(std::span<EnumName<SourceKind> const>(source_names), text, "--source");
}

std::string_view to_string(SourceKind kind) {
    return name_of(std::span<EnumName<SourceKind> const>(source_names), kind);
}

/// True if a file's keys would use more than half of the available memory.
bool is_large(std::string const& path) {
    std::error_code error;
    std::uint64_t const size_bytes = std::filesystem::file_size(path, error);
    auto const available = available_memory_bytes();
    return !error && available && size_bytes > *available / 2;
}

/// Resolves "auto"; an error if the source cannot be used for the request.
Expected<SourceKind> resolved_source(SourceKind kind, SortRequest const& request) {
    if (request.file) {
        if (kind == SourceKind::closed_form) {
            return input_error("--input and --source closed-form",
                               "only the keys of a distribution can be counted in closed form",
                               "leave --source out");
        }
        if (kind != SourceKind::automatic) {
            return kind;
        }
        return is_large(request.file_path) ? SourceKind::streamed : SourceKind::materialized;
    }
    if (kind != SourceKind::automatic) {
        return kind;
    }
    return request.config.key_count <= streamed_keys_max ? SourceKind::streamed
                                                         : SourceKind::closed_form;
}

/// A key source with the memory that it reads.
struct OwnedSource {
    std::unique_ptr<KeyMemory> memory; ///< null unless keys are materialized
    std::unique_ptr<model::KeySource> source;
};

Expected<OwnedSource> open_stored(SortRequest& request, Progress& progress) {
    KEYSWAP_TRY(auto keys, model::StoredKeys::open(request.file_path, request.file_options));
    request.config.key_type = keys.key_type();
    request.config.key_count = keys.key_count();
    request.csv_header = keys.header();
    request.other_csv_columns = keys.other_columns();
    auto source = std::make_unique<model::StoredSource>(
        std::move(keys), request.config.direction, request.config.zero_order, progress.steps());
    return OwnedSource{nullptr, std::move(source)};
}

Expected<OwnedSource> open_source(SourceKind kind, SortRequest& request, Progress& progress) {
    OwnedSource owned;
    if (kind == SourceKind::materialized) {
        KEYSWAP_TRY(auto memory, KeyMemory::load(request, KeyMemory::Use::plan_only, &progress));
        owned.memory = std::make_unique<KeyMemory>(std::move(memory));
        owned.source = owned.memory->source();
        return owned;
    }
    if (request.file) {
        return open_stored(request, progress);
    }
    KEYSWAP_TRY(auto generator, model::KeyGenerator::make(*request.keys));
    Direction const direction = request.config.direction;
    if (kind == SourceKind::streamed) {
        owned.source = std::make_unique<model::StreamedSource>(
            std::move(generator), direction, progress.steps());
    } else {
        owned.source = std::make_unique<model::ClosedFormSource>(std::move(generator), direction);
    }
    return owned;
}

/// Memory of the sort; nullopt if the simulator has no schedule for it.
std::optional<simulator::SortMemory> memory_of(SortRequest const& request) {
    auto const kind = simulator::find_schedule(full_name(request.choice));
    return kind ? std::optional((*kind)->memory(*request.choice.algorithm, request.config))
                : std::nullopt;
}

Expected<ExitCode> print_external(PlanOptions const& options,
                                  SortRequest const& request,
                                  SourceKind kind,
                                  OwnedSource const& source,
                                  std::optional<Progress>& progress) {
    auto const layout = model::layout_of_keys(request.config.key_type, request.config.direction);
    KEYSWAP_TRY(auto const memory, model::divide_memory(layout, *options.memory));
    KEYSWAP_TRY(auto const planned, model::plan_stored_keys([&] {
                    return model::plan_external_sort(
                        layout, memory, *source.source, model::external_sample_seed);
                }));
    progress.reset();
    if (options.json) {
        print_json(external_plan_document(request, to_string(kind), planned), std::cout);
    } else {
        print_external_plan(request, to_string(kind), planned, options.detail.all, std::cout);
    }
    return ExitCode::fine;
}

Expected<ExitCode> plan(PlanOptions const& options) {
    KEYSWAP_RETURN_IF_ERROR(check_external(options));
    KEYSWAP_TRY(auto request, resolve(options.sort));
    KEYSWAP_TRY(auto const asked, parse_source(options.source));
    KEYSWAP_TRY(auto const kind, resolved_source(asked, request));
    std::optional<Progress> progress(
        std::in_place, kind == SourceKind::materialized ? "reading keys" : "planning", 0);
    KEYSWAP_TRY(auto const source, open_source(kind, request, *progress));
    KEYSWAP_RETURN_IF_ERROR(check_float_orders(request.config.key_type, request.config.zero_order));
    if (options.external) {
        return print_external(options, request, kind, source, progress);
    }
    KEYSWAP_TRY(auto const planned, model::plan_stored_keys([&] {
                    return request.algorithm->plan(request.config, *source.source);
                }));
    progress.reset();
    if (options.json) {
        print_json(plan_document(request, to_string(kind), *planned, options.detail), std::cout);
    } else {
        std::cout << "plan: " << config_text(request) << "keys counted: " << to_string(kind)
                  << "\n\n";
        write_account(*planned, options.detail, std::cout);
        if (auto const memory = memory_of(request)) {
            std::cout << "\nMemory of '" << full_name(request.choice)
                      << "': " << sort_memory_text(*memory) << ".\n";
        }
        BarStyle const style = bar_style_of(STDOUT_FILENO);
        if (style != BarStyle::none) {
            RunView const view =
                run_view_of(*planned, model::header_of(request.config, request.algorithm->name));
            std::cout << '\n' << bucket_bars(view, style) << balance_bars(view, style);
        }
    }
    return ExitCode::fine;
}

} // namespace

Json plan_document(SortRequest const& request,
                   std::string_view source,
                   model::SortPlan const& plan,
                   AccountDetail detail) {
    Json config = config_json(request);
    config["source"] = source;
    Json json = json_result("plan", config);
    json["plan"] = plan_json(plan, detail);
    if (auto const memory = memory_of(request)) {
        json["memory"] = document(*memory);
    }
    return json;
}

void add_plan_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "plan", "Show which bucket goes to which GPU, in how many passes and why");
    auto const options = std::make_shared<PlanOptions>();
    add_sort_options(command, options->sort);
    command
        .add_option("--source",
                    options->source,
                    "How to count keys: auto, materialized, streamed (a file is read again in each "
                    "pass) or closed-form")
        ->capture_default_str();
    CLI::Option& external =
        *command.add_flag("--external",
                          options->external,
                          "Plan a sort of a file that is larger than memory: its ranges, where "
                          "they are written, how often keys are read");
    add_count_option(command, "--memory", options->memory, "Memory of an external sort: 64G");
    command.add_flag("--buckets", options->detail.buckets, "List the final buckets");
    command.add_flag("--all", options->detail.all, "List all rows of long tables");
    command.add_flag("--json", options->json, "Print the plan as JSON");
    exclude_all_but(command,
                    external,
                    "--help --input --format --column --distribution --parameter --keys --seed "
                    "--type --direction --source --memory --all --json");
    run_when_chosen(command, chosen, options, plan);
}

} // namespace keyswap::tools
