#include "tools/gpu_sort.hpp"

#include "tools/build_info.hpp"
#include "tools/number_text.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <iomanip>
#include <numeric>
#include <ostream>
#include <sstream>

namespace keyswap::tools {

namespace {

constexpr std::uint32_t virtual_gpus_max = 64; // of the kernels

std::optional<InputError> contradiction(GpuChoice const& choice) {
    if (choice.backend != "cuda" && choice.backend != "reference") {
        return InputError{"--backend " + choice.backend, "is not known", "use reference or cuda"};
    }
    if (!choice.is_cuda() && (choice.virtual_gpus || choice.variant)) {
        return InputError{choice.virtual_gpus ? "--virtual-gpus" : "--variant",
                          "is of no use with --backend reference, whose GPUs are all virtual",
                          "give --backend cuda, or --gpus with a number of GPUs"};
    }
    bool const many = choice.gpus && choice.gpus->find(',') != std::string::npos;
    if (!choice.is_cuda() && many) {
        return InputError{"--gpus " + *choice.gpus,
                          "lists devices, but --backend reference takes a number of GPUs",
                          "give --backend cuda, or one number"};
    }
    if (choice.virtual_gpus && many) {
        return InputError{"--gpus and --virtual-gpus",
                          "virtual GPUs lie on one device, and several are named",
                          "name one device, or leave --virtual-gpus out"};
    }
    if (choice.virtual_gpus &&
        (*choice.virtual_gpus == 0 || *choice.virtual_gpus > virtual_gpus_max)) {
        return InputError{
            "--virtual-gpus " + std::to_string(*choice.virtual_gpus), "is not from 1 to 64", ""};
    }
    return std::nullopt;
}

Expected<std::uint32_t> parse_gpu_count(std::string const& text) {
    auto const count = parse_count(text, "--gpus");
    if (!count) {
        return tl::unexpected(count.error());
    }
    if (*count > std::numeric_limits<std::uint32_t>::max()) {
        return tl::unexpected(InputError{"--gpus " + text, "is too large a number of GPUs", ""});
    }
    return static_cast<std::uint32_t>(*count);
}

} // namespace

void add_gpu_choice(CLI::App& command, GpuChoice& choice) {
    command.remove_option(command.get_option("--gpus"));
    command.add_option("--gpus",
                       choice.gpus,
                       "reference: number of GPUs, 1 to 1024 (standard: 8); cuda: device numbers "
                       "in the sort's order, as 0,2 (standard: all)");
    command
        .add_option("--backend",
                    choice.backend,
                    "reference (virtual GPUs in host memory) or cuda (this machine's GPUs)")
        ->capture_default_str();
    command.add_option(
        "--virtual-gpus", choice.virtual_gpus, "cuda: so many GPUs on one device, 1 to 64");
    command.add_option("--variant", choice.variant, "cuda, rmg: fast (standard), rotated or paper");
}

Expected<std::vector<int>> parse_device_list(std::string const& text, std::string const& option) {
    std::vector<int> devices;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        std::size_t const end = std::min(text.find(',', begin), text.size());
        int device = -1;
        auto const [rest, code] = std::from_chars(text.data() + begin, text.data() + end, device);
        if (code != std::errc{} || rest != text.data() + end || device < 0) {
            return tl::unexpected(InputError{option + " " + text,
                                             "is not a list of device numbers",
                                             "separate them by commas, as 0,2"});
        }
        devices.push_back(device);
        begin = end + 1;
    }
    return devices;
}

Expected<std::vector<int>> resolve_gpus(GpuChoice const& choice, SortOptions& sort) {
    if (auto const error = contradiction(choice)) {
        return tl::unexpected(*error);
    }
    if (!choice.is_cuda()) {
        if (choice.gpus) {
            auto const count = parse_gpu_count(*choice.gpus);
            if (!count) {
                return tl::unexpected(count.error());
            }
            sort.gpus = *count;
        }
        return std::vector<int>{};
    }
    auto const found = cuda::device_count();
    if (!found) {
        return tl::unexpected(found.error());
    }
    std::vector<int> devices(static_cast<std::size_t>(choice.virtual_gpus ? 1 : *found));
    std::iota(devices.begin(), devices.end(), 0);
    if (choice.gpus) {
        auto const named = parse_device_list(*choice.gpus, "--gpus");
        if (!named) {
            return tl::unexpected(named.error());
        }
        devices = *named;
    }
    if (choice.virtual_gpus) {
        devices.assign(*choice.virtual_gpus, devices.front());
    }
    sort.gpus = static_cast<std::uint32_t>(devices.size());
    return devices;
}

Expected<kernels::SortOptions> kernel_options(SortRequest const& request,
                                              GpuChoice const& choice,
                                              std::vector<int> const& devices) {
    auto const algorithm = kernels::parse_algorithm(request.algorithm->name);
    auto const variant = kernels::parse_variant(choice.variant.value_or("fast"));
    if (!algorithm || !variant) {
        return tl::unexpected(algorithm ? variant.error() : algorithm.error());
    }
    if (choice.variant && *algorithm != kernels::Algorithm::rmg) {
        return tl::unexpected(
            InputError{"--variant and --algorithm " + std::string(request.algorithm->name),
                       "only rmg has variants",
                       "leave one of them out"});
    }
    kernels::SortOptions options;
    options.key_type = request.config.key_type;
    options.direction = request.config.direction;
    options.value_type = request.config.value_type;
    options.stability = *algorithm == kernels::Algorithm::p2p_merge ? Stability::unstable
                                                                    : request.config.stability;
    options.zero_order = request.config.zero_order;
    options.digit_bits = request.config.digit_bits;
    options.tolerance_ppm = request.config.tolerance_ppm;
    options.fuse_ppm = request.config.fuse_ppm;
    options.algorithm = *algorithm;
    options.variant = *variant;
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
        header.program = "keyswap " + std::string(build_version());
        header.commit = build_commit();
        header.created = utc_time_text();
        header.input = input_record(request);
        header.input.content = content;
    };
    cuda::SortJob const job{options, memory.key_bytes(), memory.value_bytes(), memory.key_count()};
    auto result = cuda::sort(job, complete, trace);
    memory.make_images();
    return result;
}

std::vector<PhaseSpan> phase_spans(std::vector<PhaseTimeRecord> const& times) {
    std::vector<PhaseSpan> spans;
    for (PhaseTimeRecord const& time : times) {
        std::string const name =
            time.pass == 0 ? time.phase : time.phase + " " + std::to_string(time.pass);
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
    if (options.algorithm == kernels::Algorithm::rmg) {
        out << ", variant " << to_string(options.variant);
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

nlohmann::ordered_json gpu_account_json(kernels::SortOptions const& options,
                                        cuda::SortResult const& result) {
    nlohmann::ordered_json phases = nlohmann::ordered_json::array();
    for (PhaseTimeRecord const& time : result.report.times) {
        phases.push_back({{"gpu", time.gpu.value},
                          {"phase", time.phase},
                          {"pass", time.pass},
                          {"begin_ns", time.begin_ns},
                          {"end_ns", time.end_ns}});
    }
    nlohmann::ordered_json chunks = nlohmann::ordered_json::array();
    for (kernels::SortedChunk const& chunk : result.report.chunks) {
        chunks.push_back({{"base", chunk.base}, {"count", chunk.count}});
    }
    return {{"device", result.device},
            {"driver", result.driver},
            {"devices", options.devices},
            {"variant", to_string(options.variant)},
            {"passes", result.report.passes},
            {"peer_access", result.report.peer_access},
            {"seconds", result.seconds},
            {"bytes_per_gpu", result.workspace.bytes_per_gpu()},
            {"ownership", chunks},
            {"phases", phases}};
}

} // namespace keyswap::tools
