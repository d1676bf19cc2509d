#pragma once

#include "kernels/sort.hpp"
#include "tools/external/range_engine.hpp"

#include <memory>

namespace keyswap::tools {

/// Sorts ranges on GPUs, from host memory to host memory.
/// \param options whose shape and devices are those of the sort
[[nodiscard]] std::shared_ptr<RangeEngine>
make_gpu_range_engine(kernels::SortOptions const& options);

} // namespace keyswap::tools
