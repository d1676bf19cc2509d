#include "tools/bench/model_benchmark.hpp"

#include "model/distributions/closed_form_source.hpp"
#include "model/distributions/streamed_source.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/sorts/rmg/planner.hpp"
#include "tools/backends/key_memory.hpp"
#include "tools/bench/cpu_peers.hpp"
#include "tools/build/stopwatch.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <iomanip>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace keyswap::tools {

namespace {

/// Peak resident set size of this process so far, in MB. Linux reports KiB.
double peak_memory_mb() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

/// CPU seconds of this process, over all threads.
double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    auto const seconds = [](timeval const& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Timing {
    double wall_s = std::numeric_limits<double>::infinity();
    double cpu_s = std::numeric_limits<double>::infinity();

    [[nodiscard]] Timing faster(Timing const& other) const {
        return {std::min(wall_s, other.wall_s), std::min(cpu_s, other.cpu_s)};
    }
};

template <class Work>
Timing timed(Work const& work) {
    double const cpu = cpu_seconds();
    Stopwatch const stopwatch;
    work();
    return {stopwatch.seconds(), cpu_seconds() - cpu};
}

model::SortConfig config_of(std::uint64_t keys, std::uint32_t gpus) {
    model::SortConfig config;
    config.key_count = keys;
    config.gpu_count = gpus;
    return config;
}

/// Plans u32 keys of a distribution with its default parameter; the time includes its table.
/// \param pass_count output: passes of the plan
template <class Source>
Timing time_plan(std::string const& distribution,
                 std::uint64_t keys,
                 std::uint32_t gpus,
                 int& pass_count) {
    return timed([&] {
        auto generator = model::KeyGenerator::make({distribution, {}, KeyType::u32, keys, 1});
        Source source(std::move(generator).value());
        pass_count = model::plan_rmg_sort(config_of(keys, gpus), source).pass_count();
    });
}

void print_streamed(std::ostream& out, std::uint64_t keys) {
    out << "Streamed plan, " << keys << " u32 keys, 8 GPUs\n"
        << std::left << std::setw(14) << "distribution" << std::setw(8) << "passes" << std::setw(9)
        << "wall (s)" << std::setw(9) << "CPU (s)" << std::setw(15) << "Mkeys/s, plan"
        << std::setw(15) << "Mkeys/s, pass" << std::setw(22) << "ns of CPU, key, pass"
        << "peak memory (MB)\n";
    for (std::string const name : {"uniform", "zipf"}) {
        int passes = 0;
        Timing const timing = time_plan<model::StreamedSource>(name, keys, 8, passes);
        double const rate = static_cast<double>(keys) / timing.wall_s / 1e6;
        double const draws = static_cast<double>(keys) * passes;
        out << std::setw(14) << name << std::setw(8) << passes << std::setw(9) << timing.wall_s
            << std::setw(9) << timing.cpu_s << std::setw(15) << rate << std::setw(15)
            << rate * passes << std::setw(22) << timing.cpu_s / draws * 1e9 << peak_memory_mb()
            << '\n';
    }
}

void print_closed_form(std::ostream& out, std::uint64_t keys) {
    out << "\nClosed-form plan, " << grouped_count(keys) << " u32 keys: wall clock and CPU (ms)\n"
        << std::setw(27) << "distribution" << std::setw(10) << "72 GPUs" << std::setw(10) << "CPU"
        << std::setw(10) << "576 GPUs" << std::setw(10) << "CPU" << '\n';
    for (model::Distribution const& distribution : model::distributions()) {
        std::string const name(distribution.name);
        int passes = 0;
        auto const of = [&](std::uint32_t gpus) {
            // The faster of two runs: the first one also warms up the caches.
            auto const once = [&] {
                return time_plan<model::ClosedFormSource>(name, keys, gpus, passes);
            };
            return once().faster(once());
        };
        Timing const small = of(72);
        Timing const large = of(576);
        out << std::setw(27) << name << std::setw(10) << small.wall_s * 1e3 << std::setw(10)
            << small.cpu_s * 1e3 << std::setw(10) << large.wall_s * 1e3 << std::setw(10)
            << large.cpu_s * 1e3 << '\n';
    }
}

/// Plans and replays the keys once. \returns the time without generating the keys
Expected<Timing> time_replay(std::uint64_t keys) {
    SortRequest request;
    request.config = config_of(keys, 8);
    request.keys = model::KeyRequest{"uniform", {}, KeyType::u32, keys, 1};
    request.algorithm = model::find_algorithm("rmg").value();
    KEYSWAP_TRY(auto memory, KeyMemory::load(request, KeyMemory::Use::replay));
    std::optional<model::Violation> violation;
    Timing const timing = timed([&] {
        auto const source = memory.source();
        auto const plan = request.algorithm->plan(request.config, *source).value();
        violation = plan->replay(memory.replay_memory(), nullptr);
    });
    if (violation || memory.first_unsorted()) {
        return input_error(
            "replay", "it did not sort its keys", "this is a fault of keyswap; report it");
    }
    return timing;
}

/// libstdc++'s parallel sort, the baseline for replays; nullopt if this build lacks it.
std::optional<CpuPeer> reference_sort() {
    auto const peers = cpu_peers();
    auto const found = std::ranges::find(peers, "gnu-parallel", &CpuPeer::name);
    return found == peers.end() ? std::nullopt : std::optional(*found);
}

Expected<Timing> time_reference(CpuPeer const& sort, std::uint64_t keys) {
    KEYSWAP_TRY(auto const generator,
                model::KeyGenerator::make({"uniform", {}, KeyType::u32, keys, 1}));
    std::vector<std::uint32_t> words(keys);
    generator.images(0, std::span(words));
    return timed([&] { sort.sort_u32(words, std::thread::hardware_concurrency()); });
}

Expected<void> print_replay(std::ostream& out, std::uint64_t keys) {
    constexpr int repetitions = 3;
    auto const peer = reference_sort();
    Timing replay;
    Timing reference;
    double peak_mb = 0;
    for (int i = 0; i < repetitions; ++i) {
        KEYSWAP_TRY(auto const timing, time_replay(keys));
        replay = replay.faster(timing);
        if (i == 0) {
            peak_mb = peak_memory_mb(); // before the reference allocates
        }
        if (peer) {
            KEYSWAP_TRY(auto const other, time_reference(*peer, keys));
            reference = reference.faster(other);
        }
    }
    out << "\nPlan and replay, " << keys << " uniform u32 keys, 8 virtual GPUs, fastest of "
        << repetitions << "\nreplay: " << std::setprecision(2) << replay.wall_s << " s wall, "
        << replay.cpu_s << " s CPU; peak memory " << peak_mb
        << " MB = " << peak_mb * 1e6 / (static_cast<double>(keys) * 4) << " x input\n";
    if (peer) {
        out << "libstdc++ parallel sort: " << reference.wall_s << " s wall, " << reference.cpu_s
            << " s CPU; replay / reference = " << replay.wall_s / reference.wall_s << " wall, "
            << replay.cpu_s / reference.cpu_s << " CPU\n";
    } else {
        out << "libstdc++ parallel sort: not in this build (needs g++ with OpenMP)\n";
    }
    return {};
}

} // namespace

Expected<void> run_model_benchmark(std::ostream& out, BenchModelOptions const& options) {
    auto const flags = out.flags();
    auto const precision = out.precision(1);
    out << std::fixed;
    if (options.streamed_keys > 0) {
        print_streamed(out, options.streamed_keys);
    }
    print_closed_form(out, options.closed_form_keys);
    Expected<void> result;
    if (options.replayed_keys > 0) {
        result = print_replay(out, options.replayed_keys);
    }
    out.flags(flags);
    out.precision(precision);
    return result;
}

} // namespace keyswap::tools
