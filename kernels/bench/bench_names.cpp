#include "kernels/bench/benchmark.hpp"
#include "kernels/bench/split_benchmark.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace keyswap::kernels {

namespace {

constexpr std::array key_names = {std::pair{BenchKeys::uniform, std::string_view{"uniform"}},
                                  std::pair{BenchKeys::zipf, std::string_view{"zipf"}},
                                  std::pair{BenchKeys::sorted, std::string_view{"sorted"}},
                                  std::pair{BenchKeys::two_values, std::string_view{"two-values"}},
                                  std::pair{BenchKeys::zero, std::string_view{"zero"}}};

/// Median; 0 without times.
double median_of(std::vector<double> times) {
    std::ranges::sort(times);
    return times.empty() ? 0 : times[times.size() / 2];
}

} // namespace

std::string_view to_string(BenchKeys keys) {
    for (auto const& [known, name] : key_names) {
        if (known == keys) {
            return name;
        }
    }
    return "unknown";
}

Expected<BenchKeys> parse_bench_keys(std::string_view text) {
    for (auto const& [keys, name] : key_names) {
        if (name == text) {
            return keys;
        }
    }
    return tl::unexpected(InputError{"keys " + std::string{text},
                                     "are not known to the benchmark",
                                     "use uniform, zipf, sorted, two-values or zero"});
}

bool has_tuned_policy(SortShape const& shape) {
    bool const is_narrow = key_size_bytes(shape.key_type) == sizeof(std::uint32_t);
    return is_narrow && shape.value_type != ValueType::bits64;
}

double BenchRuns::median() const {
    return median_of(milliseconds);
}

double SplitBenchRow::median() const {
    return median_of(milliseconds);
}

double BenchRuns::spread() const {
    auto const [low, high] = std::minmax_element(milliseconds.begin(), milliseconds.end());
    return milliseconds.empty() ? 0 : (*high - *low) / median();
}

} // namespace keyswap::kernels
