#pragma once

#include <cstdint>
#include <ostream>

namespace keyswap::tools {

struct ModelBenchmarkOptions {
    std::uint64_t streamed_keys = 2'000'000'000; ///< u32 keys of the streamed plans, on 8 GPUs
};

/// Times streamed plans (keys a second over the whole plan and over a pass, peak memory) and
/// closed-form plans of 1e12 u32 keys on 72 and 576 GPUs for every distribution, and prints a table
/// of each.
void run_model_benchmark(std::ostream& out, ModelBenchmarkOptions const& options = {});

} // namespace keyswap::tools
