#pragma once

#include "simulator/platform/embedded_text.hpp"

#include <vector>

namespace keyswap::simulator {

/// Data sheets of GPUs (devices/gpus.csv) and CPUs (devices/cpus.csv), one file each.
[[nodiscard]] std::vector<EmbeddedText> embedded_gpu_sheets();
[[nodiscard]] std::vector<EmbeddedText> embedded_cpu_sheets();

} // namespace keyswap::simulator
