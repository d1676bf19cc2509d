#include "tools/bench/model_benchmark.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/number_option.hpp"
#include "tools/text/passes_table.hpp"
#include "traces/errors/try.hpp"

#include <iostream>
#include <memory>

namespace keyswap::tools {

namespace {

Expected<ExitCode> bench_model(BenchModelOptions const& options) {
    bool agrees = true;
    if (!options.measurements.empty()) {
        KEYSWAP_TRY(agrees, print_passes_table(std::cout, options.measurements));
        std::cout << (agrees ? "The model's passes are the published ones.\n\n"
                             : "The model's passes DIFFER from published ones.\n\n");
    } else if (options.passes_only) {
        return input_error("--passes-only",
                           "it needs the published measurements",
                           "name their folder: --measurements traces/measurements");
    }
    if (!options.passes_only) {
        KEYSWAP_RETURN_IF_ERROR(run_model_benchmark(std::cout, options));
    }
    return agrees ? ExitCode::fine : ExitCode::violation;
}

} // namespace

void add_bench_model_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "bench-model", "Time plans and the replay, and compare passes with published runs");
    auto const options = std::make_shared<BenchModelOptions>();
    command.add_option("--measurements",
                       options->measurements,
                       "Folder of published measurements (.csv) to compare passes with");
    command.add_flag("--passes-only", options->passes_only, "Compare passes and time nothing");
    add_count_option(command,
                     "--streamed-keys",
                     options->streamed_keys,
                     "Keys of a streamed plan; 0: none is timed");
    add_count_option(
        command, "--closed-form-keys", options->closed_form_keys, "Keys of a closed-form plan");
    add_count_option(
        command, "--replay-keys", options->replayed_keys, "Keys of the replay; 0: none is timed");
    run_when_chosen(command, chosen, options, bench_model);
}

} // namespace keyswap::tools
