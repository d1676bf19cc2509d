/// \file Prints measurements of this machine's sorts, one per line; a prebuilt binary that
/// requires only a driver: bench_probe KEYS DEVICE... [only TEXT], where TEXT must be part of a
/// line's name

#include "kernels/bench/bench_chunks.hpp"
#include "kernels/bench/benchmark.hpp"
#include "kernels/bench/record_benchmark.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
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

/// Reads as many bytes as `keys` 32-bit keys take, on all devices together.
/// \param copy_rate GB/s that a copy on one device reads and writes
void print_checks(std::vector<int> const& devices, std::uint64_t keys, double copy_rate) {
    struct Elements {
        KeyType key;
        ValueType value;
    };
    for (auto const& [key, value] : {Elements{KeyType::u32, ValueType::none},
                                     Elements{KeyType::f32, ValueType::none},
                                     Elements{KeyType::u64, ValueType::none},
                                     Elements{KeyType::u128, ValueType::none},
                                     Elements{KeyType::u32, ValueType::bits32},
                                     Elements{KeyType::u64, ValueType::bits64}}) {
        BenchJob job;
        job.options.devices = devices;
        job.options.key_type = key;
        job.options.value_type = value;
        std::uint64_t const element_bytes = key_size_bytes(key) + value_size_bytes(value);
        job.key_count = keys * sizeof(std::uint32_t) / element_bytes;
        BenchChunks const chunks{job, (job.key_count + devices.size() - 1) / devices.size()};
        chunks.fill();
        double least_ms = 0;
        for (int run = 0; run < 6; ++run) { // the first run is a warm-up
            auto const begin = std::chrono::steady_clock::now();
            auto const found = chunks.summary_before();
            std::chrono::duration<double, std::milli> const elapsed =
                std::chrono::steady_clock::now() - begin;
            if (!found) {
                std::printf("check: %s\n", found.error().message.c_str());
                return;
            }
            least_ms = run < 2 ? elapsed.count() : std::min(least_ms, elapsed.count());
        }
        double const rate = static_cast<double>(job.key_count * element_bytes) / least_ms / 1e6;
        std::string const name = "check " + std::string{to_string(key)} +
                                 (value == ValueType::none ? "" : " with values");
        std::printf("%-46s %8.3f ms %7.0f GB/s, %.2f of a copy's rate\n",
                    name.c_str(),
                    least_ms,
                    rate,
                    rate / copy_rate / static_cast<double>(devices.size()));
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: bench_probe KEYS DEVICE... [only TEXT]\n");
        return 2;
    }
    auto const keys = static_cast<std::uint64_t>(std::atof(argv[1]));
    SortOptions options;
    options.devices.clear();
    std::string only;
    for (int i = 2; i < argc; ++i) {
        if (std::string{argv[i]} == "only") {
            only = i + 1 < argc ? argv[i + 1] : "";
            break;
        }
        options.devices.push_back(std::atoi(argv[i]));
    }
    auto const is_wanted = [&only](std::string const& name) {
        return name.find(only) != std::string::npos;
    };
    constexpr int runs = 5;
    auto const gpus = static_cast<std::uint64_t>(options.devices.size());
    if (auto const rates = bench_machine(options.devices, std::uint64_t{1} << 30)) {
        std::printf("GB/s: memory %.0f, host to device %.1f, device to host %.1f, peer %.0f, "
                    "all to all out of each %.0f\n",
                    rates->memory_copy,
                    rates->host_to_device_all,
                    rates->device_to_host_all,
                    rates->peer_pair,
                    rates->all_to_all_out);
        if (is_wanted("check")) {
            print_checks(options.devices, keys, rates->memory_copy);
        }
    }
    auto const job = [&](std::uint64_t count, BenchKeys pattern, Residence residence) {
        BenchJob made;
        made.options = options;
        made.key_count = count;
        made.residence = residence;
        made.runs = runs;
        made.pattern = pattern;
        return made;
    };
    auto const measure = [&](std::string const& name, std::uint64_t count, BenchKeys pattern) {
        if (is_wanted(name)) {
            print_line(name,
                       bench_sort(job(count, pattern, Residence::devices)),
                       static_cast<double>(count));
        }
    };
    auto const measure_cub = [&](std::string const& name, std::uint64_t count, int bits) {
        print_line(name,
                   bench_cub(job(count, BenchKeys::uniform, Residence::devices), bits),
                   static_cast<double>(count));
    };
    // Sample sort and, for comparison, CUB's two sorts of as many keys on the first GPU.
    auto const measure_comparison_sorts = [&] {
        SortOptions const before = options;
        options.choice = choose("sample-sort", std::nullopt).value();
        options.tolerance_ppm = 20'000;
        struct Elements {
            KeyType key;
            ValueType value;
        };
        for (auto const [key, value] : {Elements{KeyType::u32, ValueType::none},
                                        Elements{KeyType::u32, ValueType::bits32},
                                        Elements{KeyType::u64, ValueType::none},
                                        Elements{KeyType::f32, ValueType::none},
                                        Elements{KeyType::u128, ValueType::none},
                                        Elements{KeyType::u128, ValueType::bits32}}) {
            options.key_type = key;
            options.value_type = value;
            std::uint64_t const count = keys / (key_size_bytes(key) + value_size_bytes(value)) * 4;
            std::string const type =
                " " + std::string{to_string(key)} + (value == ValueType::none ? " " : "+u32 ");
            for (BenchKeys const pattern : {BenchKeys::uniform,
                                            BenchKeys::zipf,
                                            BenchKeys::sorted,
                                            BenchKeys::two_values,
                                            BenchKeys::zero}) {
                measure("sample-sort" + type + std::string{to_string(pattern)}, count, pattern);
            }
            if (is_wanted("sample-sort")) {
                BenchJob peer = job(count, BenchKeys::uniform, Residence::devices);
                for (auto const& [name, of_cub] :
                     {std::pair{"CUB merge, 1 GPU", BenchPeer::cub_merge_sort},
                      std::pair{"CUB radix, 1 GPU", BenchPeer::cub_radix_sort}}) {
                    peer.peer = of_cub;
                    print_line(
                        name + type + "uniform", bench_sort(peer), static_cast<double>(count));
                }
            }
        }
        options = before;
    };
    measure_cub("CUB, 1 GPU, n/g keys, 32 bits", keys / gpus, 32);
    measure_cub("CUB, 1 GPU, n/g keys, 24 bits", keys / gpus, 24);
    for (std::string const variant : {"fast", "rotated", "paper"}) {
        for (BenchKeys const pattern : {BenchKeys::uniform,
                                        BenchKeys::zipf,
                                        BenchKeys::sorted,
                                        BenchKeys::two_values,
                                        BenchKeys::zero}) {
            options.choice = choose("rmg", variant).value();
            measure(variant + " u32 " + std::string{to_string(pattern)}, keys, pattern);
        }
    }
    options.choice = SortOptions{}.choice;
    options.tuning.counting_min = ~std::uint32_t{0};
    measure("fast u32 uniform, no counting", keys, BenchKeys::uniform);
    options.tuning.counting_min = SortOptions{}.tuning.counting_min;
    options.choice = choose("p2p-merge", std::nullopt).value();
    measure("p2p-merge u32 uniform", keys, BenchKeys::uniform);
    options.choice = SortOptions{}.choice;
    options.value_type = ValueType::bits32;
    measure("fast u32+u32 uniform, n/2", keys / 2, BenchKeys::uniform);
    options.value_type = ValueType::none;
    options.key_type = KeyType::u64;
    measure("fast u64 uniform, n/2", keys / 2, BenchKeys::uniform);
    measure_cub("CUB u64, 1 GPU, n/2g keys", keys / 2 / gpus, 64);
    options.key_type = KeyType::i32;
    for (std::uint64_t const part : {2, 4, 8}) { // fewer keys per stretch
        for (std::uint32_t const least : {std::uint32_t{0}, ~std::uint32_t{0}}) {
            options.tuning.counting_min = least;
            measure("fast i32 uniform, n/" + std::to_string(part) +
                        (least == 0 ? ", counting" : ", no counting"),
                    keys / part,
                    BenchKeys::uniform);
        }
    }
    options.tuning.counting_min = SortOptions{}.tuning.counting_min;
    options.key_type = KeyType::f32;
    measure("fast f32 uniform", keys, BenchKeys::uniform);
    options.key_type = KeyType::u32;
    measure("fast u32 uniform, 1e6 keys", 1'000'000, BenchKeys::uniform);
    measure_comparison_sorts();
    // As many bytes as 4-byte keys would take.
    bool const records_are_right =
        !is_wanted("records") || print_records(options.devices.front(), keys * 4, runs);
    for (std::string_view const algorithm : gpu_sorts()) {
        options.choice = choose(algorithm, std::nullopt).value();
        std::string const name = "host to host " + std::string{algorithm} + " u32 uniform";
        if (is_wanted(name)) {
            print_line(name,
                       bench_sort(job(keys, BenchKeys::uniform, Residence::host)),
                       static_cast<double>(keys));
        }
    }
    return records_are_right ? 0 : 1;
}
