#pragma once

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <ostream>
#include <string>

namespace keyswap::tools {

/// Options of `keyswap bench-model`.
struct BenchModelOptions {
    std::string measurements; ///< folder of published measurements; empty: none are compared
    bool passes_only = false; ///< times nothing
    std::uint64_t streamed_keys = 2'000'000'000;        ///< u32 keys, on 8 GPUs
    std::uint64_t closed_form_keys = 1'000'000'000'000; ///< u32 keys, on 72 and 576 GPUs
    std::uint64_t replayed_keys = 100'000'000;          ///< u32 keys, on 8 virtual GPUs
};

/// Times streamed plans, closed-form plans of every distribution, and the replay in comparison with
/// libstdc++'s parallel sort; prints a table of each. CPU seconds accompany elapsed seconds, which
/// other load on the machine inflates. Peak memory is that of the process so far, so measurements
/// run from the smallest to the largest. \returns an error if keys cannot be generated or a
/// replay's result is not sorted
[[nodiscard]] Expected<void> run_model_benchmark(std::ostream& out,
                                                 BenchModelOptions const& options);

} // namespace keyswap::tools
