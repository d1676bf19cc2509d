#pragma once

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <ostream>

namespace keyswap::tools {

struct ModelBenchmarkOptions {
    std::uint64_t streamed_keys = 2'000'000'000;        ///< u32 keys, on 8 GPUs
    std::uint64_t closed_form_keys = 1'000'000'000'000; ///< u32 keys, on 72 and 576 GPUs
    std::uint64_t replayed_keys = 100'000'000;          ///< u32 keys, on 8 virtual GPUs
    int repetitions = 3;                                ///< of the replay; the fastest counts
};

/// Times streamed plans, closed-form plans of every distribution, and the replay next to
/// libstdc++'s parallel sort, and prints a table of each. CPU seconds stand next to the wall
/// clock's, since other work on the machine lengthens only the latter. Peak memory is that of the
/// process, so the order goes from the smallest to the largest. \returns an error where keys cannot
/// be obtained, or where a replay does not sort
[[nodiscard]] Expected<void> run_model_benchmark(std::ostream& out,
                                                 ModelBenchmarkOptions const& options = {});

} // namespace keyswap::tools
