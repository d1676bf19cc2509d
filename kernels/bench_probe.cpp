/// \file Prints measurements of this machine's sorts as one line each, from a prebuilt binary that
/// needs nothing but a driver: bench_probe KEYS [device ...]

#include "kernels/benchmark.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

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
    std::map<std::string, double> longest;
    for (PhaseTimeRecord const& time : result->times) {
        double const ms = static_cast<double>(time.end_ns - time.begin_ns) / 1e6;
        double& entry = longest[time.phase];
        entry = ms > entry ? ms : entry;
    }
    for (auto const& [phase, ms] : longest) {
        std::printf(" | %s %.3f", phase.c_str(), ms);
    }
    std::printf(" | %.2f GB a GPU\n", static_cast<double>(result->bytes_per_gpu) / 1e9);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: bench_probe KEYS DEVICE...\n");
        return 2;
    }
    auto const keys = static_cast<std::uint64_t>(std::atof(argv[1]));
    SortOptions options;
    options.devices.clear();
    for (int i = 2; i < argc; ++i) {
        options.devices.push_back(std::atoi(argv[i]));
    }
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
    }
    print_line("CUB, 1 GPU, n/g keys, 32 bits",
               bench_cub(options, keys / gpus, BenchKeys::uniform, 32, runs),
               static_cast<double>(keys / gpus));
    print_line("CUB, 1 GPU, n/g keys, 24 bits",
               bench_cub(options, keys / gpus, BenchKeys::uniform, 24, runs),
               static_cast<double>(keys / gpus));
    for (Variant const variant : {Variant::fast, Variant::rotated, Variant::paper}) {
        for (BenchKeys const pattern : {BenchKeys::uniform,
                                        BenchKeys::zipf,
                                        BenchKeys::sorted,
                                        BenchKeys::two_values,
                                        BenchKeys::zero}) {
            options.variant = variant;
            print_line(std::string{to_string(variant)} + " u32 " + std::string{to_string(pattern)},
                       bench_device_sort(options, keys, pattern, runs),
                       static_cast<double>(keys));
        }
    }
    options.variant = Variant::fast;
    options.value_type = ValueType::bits32;
    print_line("fast u32+u32 uniform, n/2",
               bench_device_sort(options, keys / 2, BenchKeys::uniform, runs),
               static_cast<double>(keys / 2));
    options.value_type = ValueType::none;
    options.key_type = KeyType::u64;
    print_line("fast u64 uniform, n/2",
               bench_device_sort(options, keys / 2, BenchKeys::uniform, runs),
               static_cast<double>(keys / 2));
    print_line("CUB u64, 1 GPU, n/2g keys",
               bench_cub(options, keys / 2 / gpus, BenchKeys::uniform, 64, runs),
               static_cast<double>(keys / 2 / gpus));
    options.key_type = KeyType::f32;
    print_line("fast f32 uniform",
               bench_device_sort(options, keys, BenchKeys::uniform, runs),
               static_cast<double>(keys));
    options.key_type = KeyType::u32;
    print_line("fast u32 uniform, 1e6 keys",
               bench_device_sort(options, 1'000'000, BenchKeys::uniform, 20),
               1e6);
    print_line("host to host fast u32 uniform",
               bench_host_sort(options, keys, BenchKeys::uniform, 3),
               static_cast<double>(keys));
    return 0;
}
