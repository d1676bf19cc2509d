#pragma once

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <ostream>

namespace keyswap::tools {

struct ModelBenchmarkOptions {
    std::uint64_t streamed_keys = 2'000'000'000;        ///< u32 keys, on 8 GPUs
    std::uint64_t closed_form_keys = 1'000'000'000'000; ///< u32 keys, on 72 and 576 GPUs
    std::uint64_t replayed_keys = 100'000'000;          ///< u32 keys, on 8 virtual GPUs
    int repetitions = 3;                                ///< of the replay; the fastest is reported
};

/// Times streamed plans, closed-form plans of every distribution, and the replay in comparison with
/// libstdc++'s parallel sort; prints a table of each. CPU seconds accompany elapsed seconds, which
/// other load on the machine inflates. Peak memory is that of the process so far, so measurements
/// run from the smallest to the largest. \returns an error if keys cannot be generated or a
/// replay's result is not sorted
[[nodiscard]] Expected<void> run_model_benchmark(std::ostream& out,
                                                 ModelBenchmarkOptions const& options = {});

} // namespace keyswap::tools
