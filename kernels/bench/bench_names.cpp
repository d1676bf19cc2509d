#include "kernels/bench/benchmark.hpp"
#include "kernels/bench/split_benchmark.hpp"
#include "kernels/bench/timings.hpp"
#include "kernels/primitives/radix_sort/radix_policy.hpp"
#include "traces/records/enum_names.hpp"

#include <algorithm>
#include <array>

namespace keyswap::kernels {

namespace {

constexpr std::array key_names = {EnumName<BenchKeys>{"uniform", BenchKeys::uniform},
                                  EnumName<BenchKeys>{"zipf", BenchKeys::zipf},
                                  EnumName<BenchKeys>{"sorted", BenchKeys::sorted},
                                  EnumName<BenchKeys>{"two-values", BenchKeys::two_values},
                                  EnumName<BenchKeys>{"zero", BenchKeys::zero}};

} // namespace

std::string_view to_string(BenchKeys keys) {
    return name_of<BenchKeys>(key_names, keys);
}

bool has_tuned_policy(SortShape const& shape) {
    return has_tuned_policy(ElementShape{static_cast<int>(key_size_bytes(shape.key_type)),
                                         static_cast<int>(value_size_bytes(shape.value_type))});
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
