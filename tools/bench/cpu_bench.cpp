#include "tools/bench/cpu_bench.hpp"

#include "kernels/cpu/cpu_sort.hpp"
#include "tools/backends/cpu_sort.hpp"
#include "tools/backends/key_memory.hpp"
#include "tools/bench/cpu_peers.hpp"
#include "tools/build/stopwatch.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/table.hpp"
#include "traces/catalog/parameters.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <ctime>
#include <functional>
#include <iterator>
#include <ostream>
#include <thread>
#include <utility>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace keyswap::tools {

namespace {

/// Frequency of the time-stamp counter, measured by the system clock; 0 if not available.
double measured_tick_GHz() {
#if defined(__x86_64__)
    Stopwatch const stopwatch;
    std::uint64_t const ticks = __rdtsc();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::uint64_t const elapsed_ticks = __rdtsc() - ticks;
    return static_cast<double>(elapsed_ticks) / stopwatch.seconds() * 1e-9;
#else
    return 0;
#endif
}

double process_cpu_ms() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

double middle_of(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

/// A sort to measure, which sorts the raw keys of a memory in place.
struct Measured {
    std::string name;
    unsigned threads = 1;
    int steps = 0;
    std::function<Expected<void>(KeyMemory&)> sort;
};

/// Number of two-way merge passes: log2(n) rounded up, at least 1.
int merge_passes(std::uint64_t key_count) {
    return static_cast<int>(std::bit_width(std::max<std::uint64_t>(key_count, 2) - 1));
}

kernels::CpuSortArrays arrays_of(KeyMemory& memory) {
    return {memory.key_bytes(),
            memory.value_bytes(),
            memory.key_scratch_bytes(),
            memory.value_scratch_bytes()};
}

Measured
own_sort(std::string name, kernels::CpuSortOptions options, AlgorithmChoice choice, int steps) {
    options.choice = choice;
    static_cast<SortParameters&>(options) = parameters_from(*choice.algorithm, {}).value();
    return {std::move(name), options.threads, steps, [options](KeyMemory& memory) {
                return kernels::sort_on_cpu(options, arrays_of(memory), nullptr);
            }};
}

std::vector<Measured> own_sorts(SortRequest const& request, unsigned threads) {
    kernels::CpuSortOptions options;
    static_cast<SortShape&>(options) = static_cast<SortShape const&>(request.config);
    options.threads = threads;
    int const bits = key_bits(options.key_type);
    int const merges = merge_passes(request.config.key_count);
    std::vector<Measured> sorts{
        own_sort("buffered-radix", options, choose("buffered-radix", {}).value(), bits / 8),
        own_sort("simd-merge", options, choose("simd-merge", {}).value(), merges)};
    options.simd = kernels::SimdUse::none;
    sorts.push_back(
        own_sort("simd-merge-scalar", options, choose("simd-merge", {}).value(), merges));
    return sorts;
}

template <class Word>
std::span<Word> words_of(KeyMemory& memory) {
    std::span<std::byte> const bytes = memory.key_bytes();
    return {reinterpret_cast<Word*>(bytes.data()), bytes.size() / sizeof(Word)};
}

std::vector<Measured> peers_of(SortRequest const& request, unsigned threads) {
    std::vector<Measured> sorts;
    KeyType const type = request.config.key_type;
    if (request.config.value_type != ValueType::none ||
        (type != KeyType::u32 && type != KeyType::u64)) {
        return sorts;
    }
    for (CpuPeer const& peer : cpu_peers()) {
        unsigned const used = peer.uses_threads ? threads : 1;
        sorts.push_back({std::string(peer.name),
                         used,
                         merge_passes(request.config.key_count),
                         [peer, used, type](KeyMemory& memory) {
                             if (type == KeyType::u32) {
                                 peer.sort_u32(words_of<std::uint32_t>(memory), used);
                             } else {
                                 peer.sort_u64(words_of<std::uint64_t>(memory), used);
                             }
                             return Expected<void>();
                         }});
    }
    return sorts;
}

Expected<std::vector<Measured>>
chosen(std::vector<Measured> sorts, std::vector<std::string> const& names, bool has_peers) {
    if (names.empty()) {
        return sorts;
    }
    std::vector<Measured> found;
    for (std::string const& name : names) {
        auto const entry = std::ranges::find(sorts, name, &Measured::name);
        if (entry != sorts.end()) {
            found.push_back(*entry);
            continue;
        }
        auto const peers = cpu_peers();
        bool const is_peer = std::ranges::find(peers, name, &CpuPeer::name) != peers.end();
        if (has_peers || !is_peer) {
            KnownNames const known(sorts, &Measured::name);
            return input_error("--sorts " + name, "is not known", known.remedy(name));
        }
    }
    return found;
}

Expected<void> measure(Measured const& sort,
                       KeyMemory& memory,
                       std::vector<std::byte> const& original_keys,
                       std::vector<std::byte> const& original_values,
                       MultisetDigest const& content,
                       int runs,
                       CpuBenchRow& row) {
    for (int run = 0; run < runs; ++run) {
        std::ranges::copy(original_keys, memory.key_bytes().begin());
        std::ranges::copy(original_values, memory.value_bytes().begin());
        double const cpu = process_cpu_ms();
        Stopwatch const stopwatch;
        KEYSWAP_RETURN_IF_ERROR(sort.sort(memory));
        row.wall_ms.push_back(stopwatch.milliseconds());
        row.cpu_ms.push_back(process_cpu_ms() - cpu);
        memory.make_images();
        row.holds = row.holds &&
                    std::ranges::all_of(check_sorted_keys(memory, content), &VerdictRecord::holds);
        memory.restore_keys();
    }
    return {};
}

/// Peers come first, so that TBB's time is available for the comparison with the others.
Expected<std::vector<Measured>>
sorts_for(SortRequest const& request, unsigned threads, std::vector<std::string> const& names) {
    std::vector<Measured> all = peers_of(request, threads);
    bool const has_peers = !all.empty();
    std::ranges::move(own_sorts(request, threads), std::back_inserter(all));
    KEYSWAP_TRY(auto found, chosen(std::move(all), names, has_peers));
    if (found.empty()) {
        return input_error("--types " + std::string(to_string(request.config.key_type)),
                           "none of --sorts " + joined_text(names, ",") + " takes such keys",
                           "name another sort or type");
    }
    return found;
}

/// 80 columns wide.
Table cpu_table() {
    return Table({{"sort", -17},
                  {"threads", 7},
                  {"ms", 10},
                  {"+-%", 6},
                  {"cpu ms", 10},
                  {"Mkeys/s", 8},
                  {"cyc/key", 8},
                  {"xTBB", 6},
                  {"xTBBcpu", 8},
                  {"", -1, 2}});
}

void print_header(double tick_GHz, std::ostream& out) {
    out << "cycles: of the time-stamp counter, " << printed("%.3f", tick_GHz)
        << " GHz, while a thread ran (cpu ms); medians; xTBB: TBB's time over the sort's, by the "
           "clock and by cpu ms\n";
}

void print_input(SortRequest const& request, std::ostream& out) {
    std::string const values(to_string(request.config.value_type));
    out << '\n'
        << grouped_count(request.config.key_count) << ' ' << to_string(request.config.key_type)
        << " keys" << (values == "none" ? "" : " with values of " + values + " bits") << ", "
        << request.keys->distribution << '\n'
        << cpu_table().header();
}

void print_row(CpuBenchRow const& row, std::ostream& out) {
    auto const [least, most] = std::ranges::minmax(row.wall_ms);
    double const ms = row.median_ms();
    auto const ratio = [](std::optional<double> tbb, double own) {
        return tbb ? printed("%.2f", *tbb / own) : std::string("-");
    };
    out << cpu_table().row(
               row.sort,
               row.threads,
               printed("%.2f", ms),
               printed("%.1f", 50 * (most - least) / ms),
               printed("%.2f", row.median_cpu_ms()),
               printed("%.1f", static_cast<double>(row.request.config.key_count) / ms / 1e3),
               printed("%.2f", row.cycles_per_key_and_step() * row.steps),
               ratio(row.tbb_ms, ms),
               ratio(row.tbb_cpu_ms, row.median_cpu_ms()),
               row.holds ? "" : "WRONG RESULT")
        << std::flush;
}

CpuBenchRow empty_row(SortRequest const& request, Measured const& sort, double tick_GHz) {
    CpuBenchRow row;
    row.sort = sort.name;
    row.request = request;
    row.threads = sort.threads;
    row.steps = sort.steps;
    row.tick_GHz = tick_GHz;
    return row;
}

/// Appends one row per sort. \param table may be null
Expected<void> measure_input(SortRequest& request,
                             std::vector<Measured> const& sorts,
                             int runs,
                             double tick_GHz,
                             std::ostream* table,
                             std::vector<CpuBenchRow>& rows) {
    KEYSWAP_TRY(auto memory, KeyMemory::load(request, KeyMemory::Use::replay));
    MultisetDigest const content = memory.digest();
    memory.restore_keys();
    std::vector<std::byte> const keys(memory.key_bytes().begin(), memory.key_bytes().end());
    std::vector<std::byte> const values(memory.value_bytes().begin(), memory.value_bytes().end());
    std::optional<double> tbb_ms;
    std::optional<double> tbb_cpu_ms;
    if (table != nullptr) {
        print_input(request, *table);
    }
    for (Measured const& sort : sorts) {
        CpuBenchRow row = empty_row(request, sort, tick_GHz);
        KEYSWAP_RETURN_IF_ERROR(measure(sort, memory, keys, values, content, runs, row));
        if (sort.name == "tbb") {
            tbb_ms = row.median_ms();
            tbb_cpu_ms = row.median_cpu_ms();
        }
        row.tbb_ms = tbb_ms;
        row.tbb_cpu_ms = tbb_cpu_ms;
        if (table != nullptr) {
            print_row(row, *table);
        }
        rows.push_back(std::move(row));
    }
    return {};
}

} // namespace

double CpuBenchRow::median_ms() const {
    return middle_of(wall_ms);
}

double CpuBenchRow::median_cpu_ms() const {
    return middle_of(cpu_ms);
}

double CpuBenchRow::cycles_per_key_and_step() const {
    auto const keys = static_cast<double>(request.config.key_count);
    return keys == 0 ? 0 : median_cpu_ms() * 1e6 * tick_GHz / keys / steps;
}

Expected<std::vector<CpuBenchRow>>
bench_cpu(BenchOptions const& options, std::string const& title, std::ostream* table) {
    KEYSWAP_TRY(auto inputs, bench_inputs(options));
    unsigned const threads = options.threads.value_or(
        std::clamp(std::thread::hardware_concurrency(), 1U, kernels::cpu_threads_max));
    std::vector<std::vector<Measured>> sorts; // [input]
    for (SortRequest const& request : inputs) {
        KEYSWAP_TRY(auto chosen, sorts_for(request, threads, options.sorts));
        sorts.push_back(std::move(chosen));
    }
    double const tick_GHz = measured_tick_GHz();
    if (table != nullptr) {
        *table << title;
        print_header(tick_GHz, *table);
    }
    std::vector<CpuBenchRow> rows;
    for (std::size_t input = 0; input < inputs.size(); ++input) {
        KEYSWAP_RETURN_IF_ERROR(
            measure_input(inputs[input], sorts[input], options.runs, tick_GHz, table, rows));
    }
    return rows;
}

} // namespace keyswap::tools
