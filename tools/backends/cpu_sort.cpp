#include "tools/backends/cpu_sort.hpp"

#include "tools/backends/gpu_sort.hpp"
#include "tools/build/stopwatch.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <ostream>
#include <string>
#include <thread>

namespace keyswap::tools {

Expected<kernels::CpuSortOptions> cpu_options(SortRequest const& request,
                                              std::optional<unsigned> threads) {
    if (!kernels::runs_on_cpu(*request.choice.algorithm)) {
        return input_error("--backend cpu",
                           "does not have " + std::string(request.choice.algorithm->name),
                           "give --algorithm " + joined_text(kernels::cpu_sorts(), " or ") +
                               ", or --backend reference");
    }
    if (request.config.zero_order == ZeroOrder::equal) {
        return input_error("--backend cpu and --zero-order equal",
                           "CPU sorts support the total order only",
                           "leave one of them out");
    }
    kernels::CpuSortOptions options;
    static_cast<SortShape&>(options) = static_cast<SortShape const&>(request.config);
    static_cast<SortParameters&>(options) = static_cast<SortParameters const&>(request.config);
    options.choice = request.choice;
    options.threads = threads.value_or(
        std::clamp(std::thread::hardware_concurrency(), 1U, kernels::cpu_threads_max));
    return options;
}

Expected<double> sort_on_cpu(SortRequest const& request,
                             kernels::CpuSortOptions const& options,
                             KeyMemory& memory,
                             MultisetDigest const& content,
                             TraceSink* trace) {
    memory.restore_keys();
    if (trace != nullptr) {
        RunHeader header = kernels::cpu_run_header(options, memory.key_count());
        header.created = utc_time_text();
        set_program_and_input(header, request, content);
        trace->write(header);
    }
    kernels::CpuSortArrays const arrays{memory.key_bytes(),
                                        memory.value_bytes(),
                                        memory.key_scratch_bytes(),
                                        memory.value_scratch_bytes()};
    Stopwatch const stopwatch;
    auto const sorted = kernels::sort_on_cpu(options, arrays, trace);
    double const seconds = stopwatch.seconds();
    memory.make_images();
    KEYSWAP_RETURN_IF_ERROR(sorted);
    return seconds;
}

void print_cpu_account(kernels::CpuSortOptions const& options,
                       double seconds,
                       std::uint64_t key_count,
                       std::ostream& out) {
    std::string const rate = rate_text(key_count, options.element_bytes(), seconds * 1e3);
    out << "\nSorted on " << kernels::cpu_run_header(options, key_count).device << " by "
        << counted(options.threads, "thread") << ", SIMD " << kernels::simd_target(options.simd)
        << ", in " << printed("%.3f", seconds * 1e3) << " ms"
        << (rate.empty() ? "" : " (" + rate + ")") << '\n';
}

Json cpu_account_json(kernels::CpuSortOptions const& options) {
    return {{"device", kernels::cpu_run_header(options, 0).device},
            {"threads", options.threads},
            {"simd", kernels::simd_target(options.simd)}};
}

} // namespace keyswap::tools
