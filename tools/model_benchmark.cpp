#include "tools/model_benchmark.hpp"

#include "model/closed_form_source.hpp"
#include "model/planner.hpp"
#include "model/streamed_source.hpp"

#include <sys/resource.h>

#include <chrono>
#include <iomanip>
#include <string>

namespace keyswap::tools {

namespace {

using Seconds = std::chrono::duration<double>;

/// Processor time of all threads so far.
double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec) +
           static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
}

/// Largest resident size of this process so far. Linux counts it in KiB.
double peak_memory_mb() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

struct TimedPlan {
    int passes = 0;
    double seconds = 0;     ///< with the making of the distribution's table
    double cpu_seconds = 0; ///< of all threads
};

template <class Source>
TimedPlan time_plan(std::string const& distribution, std::uint64_t keys, std::uint32_t gpus) {
    double const cpu_start = cpu_seconds();
    auto const start = std::chrono::steady_clock::now();
    model::SortConfig config;
    config.key_count = keys;
    config.gpu_count = gpus;
    auto generator = model::KeyGenerator::make({distribution, {}, config.key_type, keys, 1});
    Source source(std::move(generator).value());
    model::Plan const plan = model::plan_rmg_sort(config, source);
    return {plan.pass_count(),
            Seconds(std::chrono::steady_clock::now() - start).count(),
            cpu_seconds() - cpu_start};
}

void print_streamed(std::ostream& out, std::uint64_t keys) {
    out << "Streamed plan, " << keys << " u32 keys, 8 GPUs\n"
        << std::left << std::setw(27) << "distribution" << std::setw(8) << "passes" << std::setw(10)
        << "seconds" << std::setw(16) << "Mkeys/s, plan" << std::setw(16) << "Mkeys/s, pass"
        << std::setw(20) << "Mkeys/CPU s, plan"
        << "peak memory (MB)\n";
    for (std::string const name : {"uniform", "zipf"}) {
        TimedPlan const timed = time_plan<model::StreamedSource>(name, keys, 8);
        double const rate = static_cast<double>(keys) / timed.seconds / 1e6;
        out << std::setw(27) << name << std::setw(8) << timed.passes << std::setw(10)
            << timed.seconds << std::setw(16) << rate << std::setw(16) << rate * timed.passes
            << std::setw(20) << static_cast<double>(keys) / timed.cpu_seconds / 1e6
            << peak_memory_mb() << '\n';
    }
}

void print_closed_form(std::ostream& out) {
    constexpr std::uint64_t keys = 1'000'000'000'000;
    out << "\nClosed-form plan, " << keys << " u32 keys\n"
        << std::setw(27) << "distribution" << std::setw(14) << "72 GPUs (ms)"
        << "576 GPUs (ms)\n";
    for (model::Distribution const& distribution : model::distributions()) {
        std::string const name(distribution.name);
        out << std::setw(27) << name << std::setw(14)
            << time_plan<model::ClosedFormSource>(name, keys, 72).seconds * 1e3
            << time_plan<model::ClosedFormSource>(name, keys, 576).seconds * 1e3 << '\n';
    }
}

} // namespace

void run_model_benchmark(std::ostream& out, ModelBenchmarkOptions const& options) {
    auto const flags = out.flags();
    auto const precision = out.precision(1);
    out << std::fixed;
    // Streamed first: its peak memory must not be that of the closed form.
    print_streamed(out, options.streamed_keys);
    print_closed_form(out);
    out.flags(flags);
    out.precision(precision);
}

} // namespace keyswap::tools
