#include "model/key_files/key_file.hpp"
#include "tools/backends/cpu_sort.hpp"
#include "tools/backends/key_memory.hpp"
#include "tools/build/stopwatch.hpp"
#include "tools/commands/sort/sort_command.hpp"
#include "tools/commands/sort/sort_outcome.hpp"
#include "tools/commands/sort/sort_values.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/progress.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/trace_writer.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace keyswap::tools {

namespace {

/// Opens all output files before the sort starts, so that an unwritable path is reported at
/// once.
/// \param given_type type of given values; nullopt: values are input indices
Expected<SortOutputs>
open_outputs(SortCommand const& options, KeyType type, std::optional<KeyType> given_type) {
    SortOutputs outputs;
    if (options.output) {
        KEYSWAP_TRY(auto const format,
                    model::parse_key_file_format(options.output_format.value_or("auto")));
        KEYSWAP_TRY(outputs.keys, model::create_key_file(*options.output, format, type));
    }
    if (options.output_values) {
        KeyType const width = options.sort.values == "32" ? KeyType::u32 : KeyType::u64;
        KEYSWAP_TRY(outputs.values,
                    model::create_key_file(
                        *options.output_values, std::nullopt, given_type.value_or(width)));
    }
    if (options.record) {
        KEYSWAP_TRY(outputs.trace, TraceWriter::create(*options.record));
    }
    return outputs;
}

/// Resolved options, with the keys and the output files.
struct Job {
    SortRequest request;
    std::vector<int> devices; ///< backend cuda only
    SortOutputs outputs;
    KeyMemory memory;
    MultisetDigest content;

    [[nodiscard]] TraceSink* sink() { return outputs.trace ? &*outputs.trace : nullptr; }
};

Expected<Job> prepare(SortCommand const& options) {
    SortArguments sort_options = options.sort;
    KEYSWAP_TRY(auto const devices, resolve_gpus(options.runs_on, sort_options));
    KEYSWAP_TRY(auto request, resolve(sort_options));
    if (options.unstable) {
        request.config.stability = Stability::unstable;
    }
    KEYSWAP_RETURN_IF_ERROR(check_conflicts(options));
    KEYSWAP_RETURN_IF_ERROR(check_files(options.files()));
    if (options.runs_on.is_cuda()) {
        KEYSWAP_TRY(auto const kernel, kernel_options(request, devices));
        KEYSWAP_RETURN_IF_ERROR(cuda::check_fit(kernel, request.config.key_count));
    }
    if (options.runs_on.is_cpu()) {
        KEYSWAP_RETURN_IF_ERROR(cpu_options(request, options.runs_on.threads));
    }
    KEYSWAP_TRY(auto file, open_keys(request));
    KeyType const type = file ? file->key_type() : request.config.key_type;
    KEYSWAP_RETURN_IF_ERROR(check_key_type(*request.choice.algorithm, type));
    KEYSWAP_RETURN_IF_ERROR(check_float_orders(type, request.config.zero_order));
    KEYSWAP_TRY(auto values, [&]() -> Expected<std::unique_ptr<model::StoredKeys>> {
        auto const known = file ? file->key_count() : request.config.key_count;
        return known && options.values_file ? open_values(*options.values_file, *known) : nullptr;
    }());
    if (options.values_file && !values) {
        return input_error("--values " + *options.values_file,
                           "needs an input whose number of keys is known before it "
                           "is read, not text or a compressed file",
                           "write the keys as .npy or raw");
    }
    KEYSWAP_TRY(
        auto outputs,
        open_outputs(options, type, values ? std::optional(values->key_type()) : std::nullopt));
    KEYSWAP_TRY(auto memory, [&] {
        Progress progress(request.file ? "reading keys" : "making keys", 0);
        return KeyMemory::load(request, KeyMemory::Use::replay, &progress, std::move(file));
    }());
    MultisetDigest const content = memory.digest();
    outputs.given_values = std::move(values);
    return Job{std::move(request), devices, std::move(outputs), std::move(memory), content};
}

Expected<ExitCode> sort_by_reference(SortCommand const& options, Job& job) {
    Stopwatch const stopwatch;
    std::optional<Progress> progress(std::in_place, "planning and sorting", 0);
    KEYSWAP_TRY(auto const plan,
                job.request.algorithm->plan(job.request.config, *job.memory.source()));
    TraceSink* const sink = job.sink();
    if (sink != nullptr) {
        sink->write(sort_run_header(job.request, *plan, job.content));
        plan->record(*sink);
    }
    SortOutcome outcome = replay_and_check(*plan, job.memory, job.content, sink);
    outcome.seconds = stopwatch.seconds();
    progress.reset();
    KEYSWAP_RETURN_IF_ERROR(write_sort_outputs(job.outputs, job.memory, outcome));
    if (options.json) {
        print_sort_result(
            job.request, outcome, job.content, Json{{"plan", plan_json(*plan, options.detail)}});
    } else {
        print_replayed_sort(job.request, *plan, outcome, options.detail, options.files().text());
    }
    return outcome.holds() ? ExitCode::fine : ExitCode::violation;
}

/// Checks keys that were not sorted by the model, and prints the result.
/// \param run for --json \param print_run prints it as text
Expected<ExitCode> check_sorted(SortCommand const& options,
                                Job& job,
                                double seconds,
                                Json run,
                                std::function<void(std::ostream&)> const& print_run) {
    SortOutcome const outcome{check_sorted_keys(job.memory, job.content), seconds};
    KEYSWAP_RETURN_IF_ERROR(write_sort_outputs(job.outputs, job.memory, outcome));
    if (options.json) {
        print_sort_result(job.request, outcome, job.content, Json{{"run", std::move(run)}});
    } else {
        std::ostream& out = options.files().text();
        out << "sort: " << config_text(job.request);
        print_run(out);
        print_verdicts(outcome, out);
    }
    return outcome.holds() ? ExitCode::fine : ExitCode::violation;
}

Expected<ExitCode> sort_by_gpus(SortCommand const& options, Job& job) {
    KEYSWAP_TRY(auto const kernel, kernel_options(job.request, job.devices));
    KEYSWAP_TRY(auto const result,
                sort_on_gpus(job.request, kernel, job.memory, job.content, job.sink()));
    return check_sorted(
        options, job, result.seconds, gpu_account_json(kernel, result), [&](std::ostream& out) {
            print_gpu_account(kernel, result, job.memory.key_count(), out);
            out << "\nChecked on the CPU:";
        });
}

Expected<ExitCode> sort_by_cpu(SortCommand const& options, Job& job) {
    KEYSWAP_TRY(auto const cpu, cpu_options(job.request, options.runs_on.threads));
    KEYSWAP_TRY(auto const seconds,
                sort_on_cpu(job.request, cpu, job.memory, job.content, job.sink()));
    return check_sorted(options, job, seconds, cpu_account_json(cpu), [&](std::ostream& out) {
        print_cpu_account(cpu, seconds, job.memory.key_count(), out);
        out << "\nChecked by the model:";
    });
}

} // namespace

Expected<std::unique_ptr<model::KeyFileReader>> open_keys(SortRequest const& request) {
    if (!request.file) {
        return nullptr;
    }
    return model::open_key_file(request.file_path, request.file_options);
}

Expected<ExitCode> sort_in_memory(SortCommand const& options) {
    KEYSWAP_TRY(auto job, prepare(options));
    if (options.runs_on.is_cpu()) {
        return sort_by_cpu(options, job);
    }
    return options.runs_on.is_cuda() ? sort_by_gpus(options, job) : sort_by_reference(options, job);
}

} // namespace keyswap::tools
