#include "tools/backends/gpu_sort.hpp"

#include "kernels/cpu/cpu_sort.hpp"
#include "tools/options/accept_only.hpp"
#include "tools/options/gpu_list.hpp"
#include "tools/text/json.hpp"
#include "traces/errors/try.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <iomanip>
#include <ostream>
#include <sstream>

namespace keyswap::tools {

Expected<void> check_backend_choice(BackendChoice const& choice) {
    if (choice.is_cpu() && choice.gpus) {
        return input_error(
            "--gpus", "names devices, but --backend cpu has none", "give --backend cuda");
    }
    if (!choice.is_cuda() && choice.gpus) {
        return input_error("--gpus",
                           "names devices, but all GPUs of --backend reference are virtual",
                           "give --gpu-count, or --backend cuda");
    }
    if (!choice.is_cpu() && choice.threads) {
        return input_error("--threads",
                           "applies to --backend cpu and to external sorts",
                           "leave it out, or give --backend cpu, or --memory for an external sort");
    }
    return {};
}

void add_backend_choice(CLI::App& command, BackendChoice& choice) {
    command.add_option("--gpus",
                       choice.gpus,
                       "cuda: devices in the sort's order, as 0,2 or 0-3 (default: all); one of "
                       "them with --gpu-count: that many virtual GPUs on it");
    accept_only(
        *command
             .add_option(
                 "--backend",
                 choice.backend,
                 "reference (the model, on virtual GPUs in host memory), cpu (this machine's "
                 "cores; its default algorithm is buffered-radix) or cuda (its GPUs)")
             ->capture_default_str(),
        {"reference", "cpu", "cuda"});
    command
        .add_option("--threads",
                    choice.threads,
                    "cpu, and external sorts with any backend: threads (default: one per core)")
        ->check(CLI::Range(1U, kernels::cpu_threads_max));
}

Expected<std::vector<int>> resolve_gpus(BackendChoice const& choice, SortArguments& sort) {
    KEYSWAP_RETURN_IF_ERROR(check_backend_choice(choice));
    if (choice.is_cpu() && sort.gpu_count) {
        return input_error(
            "--gpu-count", "counts GPUs, but --backend cpu has none", "leave one of them out");
    }
    if (!choice.is_cuda()) {
        return std::vector<int>{};
    }
    KEYSWAP_TRY(auto const found, cuda::device_count());
    auto devices = choose_devices(choice.gpus, sort.gpu_count, static_cast<std::uint32_t>(found));
    if (devices) {
        sort.gpu_count = static_cast<std::uint32_t>(devices->size());
    }
    return devices;
}

Expected<kernels::SortOptions> kernel_options(SortRequest const& request,
                                              std::vector<int> const& devices) {
    if (!kernels::runs_on_gpus(*request.choice.algorithm)) {
        return input_error("--algorithm " + std::string(request.choice.algorithm->name),
                           "does not run on GPUs yet",
                           "use --backend reference");
    }
    if (!kernels::runs_on_gpus(*request.choice.algorithm, request.config.key_type)) {
        std::string names;
        for (std::string_view const name : kernels::wide_gpu_sorts()) {
            names += (names.empty() ? "--algorithm " : " or ") + std::string(name);
        }
        return input_error("--type " + std::string(to_string(request.config.key_type)),
                           "is not among what " + std::string(request.choice.algorithm->name) +
                               " sorts on GPUs",
                           "use " + names + ", or --backend reference");
    }
    kernels::SortOptions options;
    static_cast<SortShape&>(options) = static_cast<SortShape const&>(request.config);
    static_cast<SortParameters&>(options) = static_cast<SortParameters const&>(request.config);
    if (request.choice.algorithm->stability == Stability::unstable) {
        options.stability = Stability::unstable;
    }
    options.choice = request.choice;
    options.devices = devices;
    return options;
}

std::string utc_time_text() {
    std::time_t const now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::ostringstream text;
    text << std::put_time(&parts, "%Y-%m-%dT%H:%M:%SZ");
    return text.str();
}

Expected<cuda::SortResult> sort_on_gpus(SortRequest const& request,
                                        kernels::SortOptions const& options,
                                        KeyMemory& memory,
                                        MultisetDigest const& content,
                                        TraceSink* trace) {
    memory.restore_keys();
    auto const complete = [&](RunHeader& header) {
        header.created = utc_time_text();
        set_program_and_input(header, request, content);
    };
    auto result = cuda::sort(options, memory.key_bytes(), memory.value_bytes(), complete, trace);
    memory.make_images();
    return result;
}

std::vector<PhaseSpan> phase_spans(std::vector<PhaseTimeRecord> const& times) {
    std::vector<PhaseSpan> spans;
    for (PhaseTimeRecord const& time : times) {
        std::string const name = std::string(time.phase.text()) +
                                 (time.pass == 0 ? "" : " " + std::to_string(time.pass));
        auto const known = std::ranges::find(spans, name, &PhaseSpan::name);
        PhaseSpan& span = known == spans.end() ? spans.emplace_back(PhaseSpan{name}) : *known;
        span.ms = std::max(span.ms, static_cast<double>(time.end_ns - time.begin_ns) / 1e6);
    }
    return spans;
}

void print_gpu_account(kernels::SortOptions const& options,
                       cuda::SortResult const& result,
                       std::uint64_t key_count,
                       std::ostream& out) {
    out << "\nSorted on " << result.device << ", driver " << result.driver << ", devices";
    for (int const device : options.devices) {
        out << ' ' << device;
    }
    if (options.choice.algorithm->variants.size() > 1) {
        out << ", variant " << options.choice.variant->name;
    }
    out << ", " << result.report.passes << (result.report.passes == 1 ? " pass" : " passes")
        << ",\nfrom host memory to host memory in " << std::fixed << std::setprecision(3)
        << 1e3 * result.seconds << " ms (" << static_cast<double>(key_count) / result.seconds / 1e9
        << " Gkeys/s, the first run: nothing is warm)\n";
    if (!result.report.peer_access) {
        out << "Some pairs of GPUs copy through the host: they have no peer access.\n";
    }
    if (!result.pinned && key_count > 0) {
        out << "The keys' memory could not be pinned; transfers were slower for it.\n";
    }
    out << "  " << std::left << std::setw(32) << "longest on a GPU"
        << "ms\n";
    for (PhaseSpan const& span : phase_spans(result.report.times)) {
        out << "  " << std::setw(32) << span.name << span.ms << '\n';
    }
    out << "  " << std::setw(32) << "device memory of a GPU, MB" << std::setprecision(1)
        << static_cast<double>(result.workspace.bytes_per_gpu()) / 1e6 << '\n';
}

Json gpu_account_json(kernels::SortOptions const& options, cuda::SortResult const& result) {
    Json phases = json_array(result.report.times, [](PhaseTimeRecord const& time) {
        return Json{{"gpu", time.gpu.value},
                    {"phase", time.phase.text()},
                    {"pass", time.pass},
                    {"begin_ns", time.begin_ns},
                    {"end_ns", time.end_ns}};
    });
    Json chunks = Json::array();
    for (kernels::SortedChunk const& chunk : result.report.chunks) {
        chunks.push_back({{"base", chunk.base}, {"count", chunk.count}});
    }
    return {{"device", result.device},
            {"driver", result.driver},
            {"devices", options.devices},
            {"variant", options.choice.variant->name},
            {"passes", result.report.passes},
            {"peer_access", result.report.peer_access},
            {"seconds", result.seconds},
            {"bytes_per_gpu", result.workspace.bytes_per_gpu()},
            {"ownership", chunks},
            {"phases", phases}};
}

} // namespace keyswap::tools
