/// \file Prints measurements of this machine's sorts, one per line; a prebuilt binary that
/// requires only a driver: bench_probe KEYS DEVICE... [only TEXT], where TEXT must be part of a
/// line's name

#include "kernels/bench/bench_chunks.hpp"
#include "kernels/bench/benchmark.hpp"
#include "kernels/bench/record_benchmark.hpp"
#include "kernels/bench/timings.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <utility>

using namespace keyswap;
using namespace keyswap::kernels;

namespace {

void print_line(std::string const& name, SortExpected<BenchRuns> const& result, double keys) {
    if (!result) {
        std::printf("%-46s %s\n", name.c_str(), result.error().message.c_str());
        return;
    }
    std::printf("%-46s %8.3f ms %7.1f Gkeys/s spread %4.1f%% passes %d%s%s",
                name.c_str(),
                result->median(),
                keys / result->median() / 1e6,
                100 * result->spread(),
                result->passes,
                result->sorted ? " sorted" : "",
                result->same_elements ? " same" : "");
    struct Span {
        double longest = 0; // on any GPU, ms
        double begin = 1e9; // on the first GPU to begin
        double end = 0;     // on the last GPU to end
    };
    std::map<std::string, Span> phases;
    for (PhaseTimeRecord const& time :
         result->times.empty() ? std::vector<PhaseTimeRecord>{} : result->times.back()) {
        double const begin = static_cast<double>(time.begin_ns) / 1e6;
        double const end = static_cast<double>(time.end_ns) / 1e6;
        Span& phase = phases[std::string(time.phase.text())];
        phase = {std::max(phase.longest, end - begin),
                 std::min(phase.begin, begin),
                 std::max(phase.end, end)};
    }
    for (auto const& [name_of_phase, phase] : phases) {
        std::printf(" | %s %.3f (%.2f to %.2f)",
                    name_of_phase.c_str(),
                    phase.longest,
                    phase.begin,
                    phase.end);
    }
    std::printf(" | %.2f GB a GPU\n", static_cast<double>(result->bytes_per_gpu) / 1e9);
    std::fflush(stdout);
}

/// \returns true if every result was correct
bool print_records(int device, std::uint64_t bytes, int runs) {
    auto const rows = bench_records(device, bytes, runs);
    if (!rows) {
        std::printf("records: %s\n", rows.error().message.c_str());
        return false;
    }
    bool right = true;
    for (RecordBenchRow const& row : *rows) {
        right = right && row.wrong == 0;
        std::printf("%-46s %8.3f ms %7.2f G/s, CUB merge %8.3f ms, %.2f of it%s\n",
                    row.name.c_str(),
                    row.sample_median(),
                    static_cast<double>(row.record_count) / row.sample_median() / 1e6,
                    row.merge_median(),
                    row.merge_median() / row.sample_median(),
                    row.wrong == 0 ? " sorted same" : " WRONG");
    }
    return right;
}

constexpr int runs = 5;
constexpr std::array every_pattern{
    BenchKeys::uniform, BenchKeys::zipf, BenchKeys::sorted, BenchKeys::two_values, BenchKeys::zero};

/// Keys with or without values.
struct Elements {
    KeyType key;
    ValueType value;

    [[nodiscard]] std::uint64_t bytes() const {
        return key_size_bytes(key) + value_size_bytes(value);
    }
};

/// Measures checks that read as many bytes as `keys` 32-bit keys have, spread over all devices.
/// \param copy_rate GB/s, reads plus writes, of a copy within one device
void print_checks(std::vector<int> const& devices, std::uint64_t keys, double copy_rate) {
    for (Elements const elements : {Elements{KeyType::u32, ValueType::none},
                                    Elements{KeyType::f32, ValueType::none},
                                    Elements{KeyType::u64, ValueType::none},
                                    Elements{KeyType::u128, ValueType::none},
                                    Elements{KeyType::u32, ValueType::bits32},
                                    Elements{KeyType::u64, ValueType::bits64}}) {
        BenchJob job;
        job.options.devices = devices;
        job.options.key_type = elements.key;
        job.options.value_type = elements.value;
        job.key_count = keys * sizeof(std::uint32_t) / elements.bytes();
        BenchChunks const chunks{job, (job.key_count + devices.size() - 1) / devices.size()};
        chunks.fill();
        double least_ms = 0;
        for (int run = 0; run < 6; ++run) { // the first run is a warm-up
            auto const begin = std::chrono::steady_clock::now();
            auto const found = chunks.summary_before();
            double const elapsed = milliseconds_since(begin);
            if (!found) {
                std::printf("check: %s\n", found.error().message.c_str());
                return;
            }
            least_ms = run < 2 ? elapsed : std::min(least_ms, elapsed);
        }
        double const rate = static_cast<double>(job.key_count * elements.bytes()) / least_ms / 1e6;
        std::string const name = "check " + std::string{to_string(elements.key)} +
                                 (elements.value == ValueType::none ? "" : " with values");
        std::printf("%-46s %8.3f ms %7.0f GB/s, %.2f of a copy's rate\n",
                    name.c_str(),
                    least_ms,
                    rate,
                    rate / copy_rate / static_cast<double>(devices.size()));
    }
}

/// Parsed command line.
struct Arguments {
    std::uint64_t keys = 0;
    std::vector<int> devices;
    std::string only; ///< text that the lines' names contain
};

Arguments arguments_of(std::span<char* const> words) {
    Arguments arguments;
    arguments.keys = static_cast<std::uint64_t>(std::atof(words[0]));
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (std::string{words[i]} == "only") {
            arguments.only = i + 1 < words.size() ? words[i + 1] : "";
            break;
        }
        arguments.devices.push_back(std::atoi(words[i]));
    }
    return arguments;
}

/// Measures sorts; each function prints a group of lines.
class SortProbe {
  public:
    explicit SortProbe(Arguments const& arguments) : arguments_(arguments), keys_(arguments.keys) {}

    [[nodiscard]] bool is_wanted(std::string const& name) const {
        return name.find(arguments_.only) != std::string::npos;
    }

    void copies() const {
        auto const rates = bench_machine(arguments_.devices, std::uint64_t{1} << 30);
        if (!rates) {
            return;
        }
        std::printf("GB/s: memory %.0f, host to device %.1f, device to host %.1f, peer %.0f, "
                    "all to all out of each %.0f\n",
                    rates->memory_copy,
                    rates->host_to_device_all,
                    rates->device_to_host_all,
                    rates->peer_pair,
                    rates->all_to_all_out);
        if (is_wanted("check")) {
            print_checks(arguments_.devices, keys_, rates->memory_copy);
        }
    }

    void variants() const {
        cub("CUB, 1 GPU, n/g keys, 32 bits", options(), keys_ / gpus(), 32);
        cub("CUB, 1 GPU, n/g keys, 24 bits", options(), keys_ / gpus(), 24);
        SortOptions sort = options();
        for (std::string const variant : {"fast", "rotated", "paper"}) {
            sort.choice = choose("rmg", variant).value();
            for (BenchKeys const pattern : every_pattern) {
                measure(variant + " u32 " + std::string{to_string(pattern)}, sort, keys_, pattern);
            }
        }
        sort = options();
        sort.tuning.counting_min = ~std::uint32_t{0};
        measure("fast u32 uniform, no counting", sort, keys_);
        sort = options();
        sort.choice = choose("p2p-merge", std::nullopt).value();
        measure("p2p-merge u32 uniform", sort, keys_);
    }

    void key_types() const {
        SortOptions pairs = options();
        pairs.value_type = ValueType::bits32;
        measure("fast u32+u32 uniform, n/2", pairs, keys_ / 2);
        SortOptions wide = options();
        wide.key_type = KeyType::u64;
        measure("fast u64 uniform, n/2", wide, keys_ / 2);
        cub("CUB u64, 1 GPU, n/2g keys", wide, keys_ / 2 / gpus(), 64);
        SortOptions sort = options();
        sort.key_type = KeyType::i32;
        for (std::uint64_t const part : {2, 4, 8}) { // fewer keys per stretch
            for (std::uint32_t const least : {std::uint32_t{0}, ~std::uint32_t{0}}) {
                sort.tuning.counting_min = least;
                measure("fast i32 uniform, n/" + std::to_string(part) +
                            (least == 0 ? ", counting" : ", no counting"),
                        sort,
                        keys_ / part);
            }
        }
        sort = options();
        sort.key_type = KeyType::f32;
        measure("fast f32 uniform", sort, keys_);
        measure("fast u32 uniform, 1e6 keys", options(), 1'000'000);
    }

    /// Sample sort, compared with CUB's two sorts of as many keys on the first GPU.
    void comparison_sorts() const {
        SortOptions sort = options();
        sort.choice = choose("sample-sort", std::nullopt).value();
        sort.tolerance_ppm = 20'000;
        for (Elements const elements : {Elements{KeyType::u32, ValueType::none},
                                        Elements{KeyType::u32, ValueType::bits32},
                                        Elements{KeyType::u64, ValueType::none},
                                        Elements{KeyType::f32, ValueType::none},
                                        Elements{KeyType::u128, ValueType::none},
                                        Elements{KeyType::u128, ValueType::bits32}}) {
            sort.key_type = elements.key;
            sort.value_type = elements.value;
            std::uint64_t const count = keys_ / elements.bytes() * 4;
            std::string const type = " " + std::string{to_string(elements.key)} +
                                     (elements.value == ValueType::none ? " " : "+u32 ");
            for (BenchKeys const pattern : every_pattern) {
                measure(
                    "sample-sort" + type + std::string{to_string(pattern)}, sort, count, pattern);
            }
            if (!is_wanted("sample-sort")) {
                continue;
            }
            BenchJob peer = job(sort, count, BenchKeys::uniform);
            for (auto const& [name, of_cub] :
                 {std::pair{"CUB merge, 1 GPU", BenchPeer::cub_merge_sort},
                  std::pair{"CUB radix, 1 GPU", BenchPeer::cub_radix_sort}}) {
                peer.peer = of_cub;
                print_line(name + type + "uniform", bench_sort(peer), static_cast<double>(count));
            }
        }
    }

    /// \returns true if every result was correct
    [[nodiscard]] bool records() const {
        // As many bytes as 4-byte keys would have.
        return !is_wanted("records") || print_records(arguments_.devices.front(), keys_ * 4, runs);
    }

    void host_to_host() const {
        for (std::string_view const algorithm : gpu_sorts()) {
            SortOptions sort = options();
            sort.choice = choose(algorithm, std::nullopt).value();
            BenchJob made = job(sort, keys_, BenchKeys::uniform);
            made.residence = Residence::host;
            std::string const name = "host to host " + std::string{algorithm} + " u32 uniform";
            if (is_wanted(name)) {
                print_line(name, bench_sort(made), static_cast<double>(keys_));
            }
        }
    }

  private:
    [[nodiscard]] std::uint64_t gpus() const { return arguments_.devices.size(); }
    [[nodiscard]] SortOptions options() const {
        SortOptions made;
        made.devices = arguments_.devices;
        return made;
    }
    [[nodiscard]] static BenchJob
    job(SortOptions const& options, std::uint64_t count, BenchKeys pattern) {
        BenchJob made;
        made.options = options;
        made.key_count = count;
        made.residence = Residence::devices;
        made.runs = runs;
        made.pattern = pattern;
        return made;
    }
    void measure(std::string const& name,
                 SortOptions const& options,
                 std::uint64_t count,
                 BenchKeys pattern = BenchKeys::uniform) const {
        if (is_wanted(name)) {
            print_line(name, bench_sort(job(options, count, pattern)), static_cast<double>(count));
        }
    }
    static void
    cub(std::string const& name, SortOptions const& options, std::uint64_t count, int bits) {
        print_line(name,
                   bench_cub(job(options, count, BenchKeys::uniform), bits),
                   static_cast<double>(count));
    }

    Arguments const& arguments_;
    std::uint64_t keys_;
};

} // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: bench_probe KEYS DEVICE... [only TEXT]\n");
        return 2;
    }
    Arguments const arguments =
        arguments_of(std::span<char* const>{argv, static_cast<std::size_t>(argc)}.subspan(1));
    SortProbe const probe{arguments};
    probe.copies();
    probe.variants();
    probe.key_types();
    probe.comparison_sorts();
    bool const records_are_right = probe.records();
    probe.host_to_host();
    return records_are_right ? 0 : 1;
}
